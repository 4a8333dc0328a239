import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { findFreePort } from '../../../../../tools/free-port.ts'
import { makeScratch, runHere, runTessera, startTesseraChild, until, type Ended, type Started } from '../../../testing/child.fixture.ts'

const scratch = makeScratch()
const number = '8600495473316478'
let service: Started
let merchant: string
const card = write('card', `${number} 0399`)

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
  const { merchantId, password } = service.facts.demo ?? assert.fail('there is no demo merchant')
  merchant = write('merchant', `${merchantId}:${password}`)
})
after(async () => {
  await service.stop()
})

test('a round stores a card, looks at it and removes it, and says how long each step took', async () => {
  const { code, out } = await canary('--json')
  assert.equal(code, 0, out)
  const { ok, failure, steps } = JSON.parse(out) as { ok: boolean; failure: unknown; steps: { step: string; ms: number }[] }
  assert.deepEqual([ok, failure, steps.map(({ step }) => step)], [true, null, ['create', 'check', 'remove']])
  assert.ok(!out.includes(number))
  const verified = await canary('--code=666666')
  assert.equal(verified.code, 0, verified.out)
  assert.match(verified.out, /^ok: create \d+ ms, get_verify_code \d+ ms, verify \d+ ms, check \d+ ms, remove \d+ ms\n$/)
})

test('a round that fails names the step and the reason, and the card is removed all the same', async () => {
  const wrong = await canary('--code=000000')
  assert.equal(wrong.code, 1)
  assert.match(wrong.out, /^FAILED at verify: wrong_code \(create .* remove \d+ ms\)\n$/)
  const nobody = await canary(`--url=http://127.0.0.1:${String(await findFreePort())}`)
  assert.equal(nobody.code, 1)
  assert.match(nobody.out, /^FAILED at create: econnrefused /)
})

test('what is no reply of the service is no success: a page with 200, a redirect, silence', async () => {
  const server = createServer((request, response) => {
    if (request.headers['x-auth'] === undefined) return
    if (behaviour === 'page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>busy</p>')
    if (behaviour === 'redirect') response.writeHead(302, { location: service.facts.url }).end()
  })
  let behaviour = 'page'
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  const at = `--url=http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  assert.match((await canary(at)).out, /^FAILED at create: no_json/)
  behaviour = 'redirect'
  assert.match((await canary(at)).out, /^FAILED at create: no_reply/)
  behaviour = 'silence'
  assert.match((await canary(at, '--timeout=1')).out, /^FAILED at create: timeout/)
})

test('rounds go on until they are stopped, with metrics', async () => {
  const port = await findFreePort()
  const child = runTessera([
    'canary',
    `--url=${service.facts.url}`,
    `--merchant=${merchant}`,
    `--card=${card}`,
    '--every=10',
    `--metrics-port=${String(port)}`,
  ])
  await until(() => child.out().includes('ok: create'), 'the first round')
  const page = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
  assert.match(page, /^tessera_canary_rounds_total\{outcome="succeeded"\} 1$/m)
  assert.match(page, /^tessera_canary_rounds_total\{outcome="failed"\} 0$/m)
  assert.match(page, /^tessera_canary_step_duration_seconds_count\{step="remove"\} 1$/m)
  const [, succeededAt = ''] = /^tessera_canary_last_success_timestamp_seconds ([\d.]+)$/m.exec(page) ?? []
  assert.ok(Math.abs(Date.now() / 1000 - Number(succeededAt)) < 60)
  child.kill('SIGTERM')
  const ended = await child.ended
  assert.deepEqual([ended.code, ended.out.split('\n').at(-2)], [0, '1 rounds succeeded, 0 failed.'])
})

test('a canary without a file, with one that others can read, or with another address than https is refused, and no secret is printed', async () => {
  const open = write('open', 'x')
  chmodSync(open, 0o644)
  const secret = write('secret', 'my-password')
  for (const [args, expected] of [
    [['--url=https://pay.example'], /Give a file with <merchant>:<password> with --merchant/],
    [[`--merchant=${open}`], /Other users can read .*open: chmod 600 it/],
    [[`--merchant=${secret}`], /has to be one line: <merchant>:<password>/],
    [[`--card=${join(scratch, 'none')}`], /cannot be read \(ENOENT\)/],
    [['--url=http://pay.example'], /--url takes an https address, or http on this machine/],
    [['--every=5'], /--every takes a whole number from 10 to 86400/],
    [['--metrics-port=9100'], /give --every as well/],
  ] as const) {
    const refused = args[0].startsWith('--url=https') ? await runHere(['canary', ...args]) : await canary(...args)
    assert.equal(refused.code, 64, args.join(' '))
    assert.match(refused.err, expected)
    assert.doesNotMatch(refused.err + refused.out, /my-password/)
  }
})

/** Later flags win over those before. */
function canary(...flags: readonly string[]): Promise<Ended> {
  const given = new Set(flags.map((flag) => flag.split('=')[0]))
  const defaults = [`--url=${service.facts.url}`, `--merchant=${merchant}`, `--card=${card}`]
  return runHere(['canary', ...defaults.filter((flag) => !given.has(flag.split('=')[0])), ...flags])
}

function write(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}
