import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { defaultConfig } from '../../testing/default-config.fixture.ts'

import { finding } from './doctor-finding.ts'
import { goingLiveItems, printGoingLive, tickGoingLive } from './going-live.ts'

const statesOf = (config: typeof defaultConfig, findings: Parameters<typeof tickGoingLive>[1]): Record<string, string> =>
  Object.fromEntries(tickGoingLive(config, findings).map(({ what, state }) => [what, state]))

/** The settings of adapters are not in the type of the settings. */
const withKek = (kek: string): typeof defaultConfig => Object.assign({}, defaultConfig, { kek })

test('a test environment has nothing ticked that production needs, and what only a person can know is never ticked', () => {
  const states = statesOf(defaultConfig, [finding('port', false, 'in use', '')])
  assert.equal(states['The environment is production.'], 'open')
  assert.equal(states['Every check of a start passes.'], 'open')
  for (const { what, isDone, appliesTo } of goingLiveItems) {
    if (appliesTo?.(defaultConfig) !== false) assert.equal(states[what] === 'person', isDone === undefined, what)
  }
})

test('items are ticked by the settings and by what the checks of a start found', () => {
  const config = {
    ...defaultConfig,
    environment: 'production' as const,
    formOrigin: 'https://pay.example',
    dashboardOrigin: 'https://merchants.example',
    trustedProxies: ['10.0.0.1'],
    auditCheckpointSyslog: 'tcp://log.example:601',
  }
  const found = [finding('database', true, 'connected to a primary, durability replicated', ''), finding('KEK', true, 'kek-1', '')]
  const before = statesOf(defaultConfig, [])
  const states = statesOf(config, found)
  const changed = Object.keys(states).filter((what) => states[what] === 'done' && before[what] !== 'done')
  assert.deepEqual(changed, [
    'The environment is production.',
    'The addresses of card form and dashboard are https, on two host names of their own.',
    'TLS ends in the service, or in a proxy that it knows.',
    'An acknowledged write survives the loss of a machine (durability `replicated`).',
    'The key encryption key is in an HSM, a key service or shares of custodians, and opens.',
    'Checkpoints of the audit are exported off this machine.',
  ])
})

test('a development key is no key in an HSM', () => {
  const what = 'The key encryption key is in an HSM, a key service or shares of custodians, and opens.'
  for (const found of [
    'file-3808a941ae236f32',
    'none open: custodians hold it in shares, see tessera keys shares',
    'none, created by the first start',
  ])
    assert.equal(statesOf(defaultConfig, [finding('KEK', true, found, '')])[what], 'open', found)
})

test('card form and dashboard on one host name, or without https, are not ticked', () => {
  const what = 'The addresses of card form and dashboard are https, on two host names of their own.'
  const stateOf = (formOrigin: string, dashboardOrigin: string) => statesOf({ ...defaultConfig, formOrigin, dashboardOrigin }, [])[what]
  assert.equal(stateOf('https://pay.example', 'https://merchants.example'), 'done')
  assert.equal(stateOf('https://pay.example', 'https://pay.example:8443'), 'open')
  assert.equal(stateOf('http://pay.example', 'https://merchants.example'), 'open')
})

test('custodians are told to check their shares, and everybody else to back the key up', () => {
  const itemsOf = (kek: string) => tickGoingLive(withKek(kek), []).map(({ what }) => what)
  const isOnlyWith = (part: string) => [itemsOf('shares'), itemsOf('pkcs11')].map((items) => items.some((what) => what.includes(part)))
  assert.deepEqual(isOnlyWith('each has checked the share'), [true, false])
  assert.deepEqual(isOnlyWith('is backed up with the tools of its maker'), [false, true])
})

test('the terminal and the page of the documentation have every item, and the terminal without the marks of Markdown', () => {
  const printed = ['pkcs11', 'shares'].map((kek) => printGoingLive(tickGoingLive(withKek(kek), []))).join('')
  const page = readFileSync('docs/operating/going-live.md', 'utf8')
  for (const { what } of goingLiveItems) {
    assert.ok(page.includes(what), what)
    assert.ok(printed.includes(what.replaceAll('`', '')), what)
  }
  assert.doesNotMatch(printed, /`|\]\(/)
})
