import assert from 'node:assert/strict'
import { test } from 'node:test'

import { kindOfAddress, readUserAgent } from './session-words.ts'

const agents: readonly (readonly [browser: string | null, system: string | null, userAgent: string])[] = [
  [
    'Chrome 142',
    'Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [
    'Edge 142',
    'Windows',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  ],
  ['Firefox 145', 'Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  [
    'Safari 18',
    'iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  ],
  [
    'Safari 18',
    'macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  ],
  [
    'Yandex Browser 25',
    'Android',
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 YaBrowser/25.1.0 Mobile Safari/537.36',
  ],
  [null, null, 'curl/8.5.0'],
  [null, null, ''],
]

for (const [browser, system, userAgent] of agents)
  test(`the User-Agent ${userAgent.slice(0, 40)} is ${browser ?? 'no known browser'} on ${system ?? 'no known system'}`, () => {
    assert.deepEqual(readUserAgent(userAgent), { browser, system })
  })

test('an address is told apart by where it is', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.equal(kindOfAddress(address), 'thisMachine', address)
  for (const address of ['10.1.2.3', '192.168.1.5', '172.16.0.1', '172.31.255.1', 'fd00::1', 'fe80::1', '100.64.0.1'])
    assert.equal(kindOfAddress(address), 'privateNetwork', address)
  for (const address of ['198.51.100.7', '172.32.0.1', '2001:db8::7', '100.128.0.1'])
    assert.equal(kindOfAddress(address), 'internet', address)
})
