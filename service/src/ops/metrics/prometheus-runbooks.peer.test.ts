// needs: prometheus, faketime
// time limit: 480 s
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { findFaketimeLibrary } from '../../../../tools/find-program.ts'
import { findFreePort } from '../../../../tools/free-port.ts'
import { testServiceEnvironment } from '../../../../tools/service-child.ts'
import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { startTransitEngine } from '../../adapters/kms/transit-engine.fixture.ts'
import type { RunningInfo } from '../../app/lifecycle.ts'
import { makeScratch, readFacts, runHere, runTessera, until, type Child } from '../../testing/child.fixture.ts'
import { runWithInput } from '../../testing/custodians.fixture.ts'

import { provokedByRunbooks } from './monitoring.fixture.ts'
import {
  signInAsDemoMerchant,
  stallSeenSeconds,
  startPrometheus,
  watchAlerts,
  type DashboardCaller,
  type RunningPrometheus,
} from './prometheus.fixture.ts'

// The shipped alerts that need a person, with the real Prometheus: what the page of each says is done, with the commands of the page. A service on the
// embedded store whose KEK is in a double of the transit engine, over TLS. libfaketime says how late it is.

/** The alerts that this test has made fire, and end, are in `provoked`. */
const { fires, ends, provoked } = watchAlerts(() => prometheus)

const scratch = makeScratch()
const folder = join(scratch, 'data')
const file = (name: string): string => join(scratch, name)
const authority = makeAuthority('an authority of our own')
const engine = await startTransitEngine(authority.certify('localhost', 3))
const [port, adminPort] = [await findFreePort(), await findFreePort()]
const sealed = { status: 503, body: '{"errors":["Vault is sealed"]}' }
const nextKek = { kek: 'transit', kekTransitUrl: engine.url.origin, kekTransitKey: 'tessera-kek-2027', kekTransitTokenFile: file('token') }
let script = 'mount()'
const shop = createServer(({ url }, response) => {
  const isScript = url === '/checkout.js'
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
  response.end(isScript ? script : '<!doctype html><title>Pay</title><div id="card"></div><script src="/checkout.js"></script>')
})
let prometheus: RunningPrometheus
let service: Child & { readonly facts: RunningInfo }
let dashboard: DashboardCaller

before(async () => {
  shop.listen(0, '127.0.0.1')
  await once(shop, 'listening')
  writeFileSync(file('ca.pem'), authority.cert)
  writeFileSync(file('token'), 'token-1\n', { mode: 0o600 })
  writeFileSync(file('next-kek.json'), JSON.stringify(nextKek))
  setClock('+0')
  service = await start()
  prometheus = await startPrometheus(file('prometheus'), { services: [`127.0.0.1:${String(adminPort)}`] })
})

after(async () => {
  await prometheus.stop()
  service.kill('SIGKILL')
  await service.ended
  await engine.close()
  shop.close()
})

test('a page whose script has changed, until the merchant checks it again', async () => {
  dashboard = await signInAsDemoMerchant(service.facts)
  const address = `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}/`
  await checkPage(address)
  await until(async () => (await stateOfPage()) === 'unchanged', 'the first reading')
  script = 'mount(); steal()'
  await command('sandbox', 'clock', '25h')
  await fires('TesseraPageChanged')
  assert.equal(await stateOfPage(), 'changed')
  assert.match(service.err(), /"event":"page_changed"/)
  await checkPage(address)
  await until(async () => (await stateOfPage()) === 'unchanged', 'the reading after the check')
  await ends('TesseraPageChanged')
  await command('sandbox', 'clock', 'now')
})

test('a refund that the network does not confirm for a day, and a payment that only its statement can decide', async () => {
  const token = await createVerifiedToken()
  const refunded = await payWith(token)
  await command('sandbox', 'step', 'receipts.cancel', 'lose_request')
  await post('receipts.cancel', { id: refunded })
  await command('sandbox', 'step', 'network', 'lose_request')
  const unknown = await payWith(token)
  const reversed = new RegExp(`"receiptId":"${unknown}".*"cause":"reversal_started"`)
  await until(() => reversed.test(service.err()), 'the first answer of the network: it has never seen the payment')
  await command('sandbox', 'clock', '25h')
  await fires('TesseraReceiptsFlagged')
  const flagged = (): Promise<string> => command('receipts', 'list', '--flagged')
  const listed = (list: string): boolean[] => [unknown, refunded].map((id) => list.includes(id))
  await until(async () => !listed(await flagged()).includes(false), 'both to be flagged')
  assert.match(await showReceipt(refunded), /requestId/)

  const statement = ['--reference', '2026-334', '--reason', 'not in the settlement file of that day']
  await command('receipts', 'resolve', unknown, '--not-paid', ...statement, '--yes')
  assert.deepEqual(listed(await flagged()), [false, true])
  assert.ok((await prometheus.firing()).includes('TesseraReceiptsFlagged'), 'the refund is still flagged')
  // The network confirms the refund, when it is asked again after ten minutes at most.
  await command('sandbox', 'step', 'network', 'none')
  await command('sandbox', 'step', 'receipts.cancel', 'none')
  await command('sandbox', 'clock', '26h')
  await ends('TesseraReceiptsFlagged')
  assert.match(await showReceipt(refunded), /50/)
  await command('sandbox', 'restore')
})

test('keys that nobody replaces while the provider of the KEK is away', async () => {
  await createVerifiedToken()
  await stop()
  // Forty minutes before keys of a day are over: those that are left an hour before have been replaced.
  setClock('+1400m')
  service = await start()
  engine.failure = sealed
  await fires('TesseraKeyNotReplaced')
  await until(() => /"job":"keys_renewed".*"event":"job_failed"/.test(service.err()), 'the job that replaces keys to fail', 90)
  assert.deepEqual(await partsAway(), ['kek'])
  assert.match(await command('keys', 'status'), /otp/)
  engine.failure = null
  await until(() => /"event":"keys_renewed"/.test(service.err()), 'the keys to be replaced', 90)
  await ends('TesseraKeyNotReplaced')
  assert.deepEqual(await partsAway(), [])
})

test('a rewrap that the provider of the next KEK interrupts, until it is run to its end', async () => {
  await commandWithKek(['keys', 'init', '--next', ...kekFlags(), nextFlag()])
  await stop()
  service = await start([nextFlag()])
  let wrapped = 0
  engine.onCall = (path) => {
    if (path === '/v1/transit/encrypt/tessera-kek-2027' && ++wrapped === 3) engine.failure = sealed
  }
  const interrupted = await runHere(['keys', 'rewrap', `--data=${folder}`])
  assert.notEqual(interrupted.code, 0, interrupted.out)
  await fires('TesseraRewrapUnfinished')
  assert.match(await command('keys', 'status'), /tessera keys rewrap/)
  engine.onCall = () => undefined
  engine.failure = null
  await command('keys', 'rewrap')
  await ends('TesseraRewrapUnfinished')
  await command('keys', 'verify')
  await stop()
  service = await start([], 'tessera-kek-2027')
  assert.ok((await createVerifiedToken()) !== '')
})

test('a custodian who is named by a number like that of a card, which the log masks', async () => {
  const shown = service.err().length
  // As long as a personal number, of which one in ten has a valid check digit. A card number itself is refused on the command line.
  const number = '10000000000008'
  const { code, err } = await runWithInput(['keys', 'unseal', `--custodian=${number}`, `--data=${folder}`], 'no share')
  assert.notEqual(code, 0)
  assert.match(err, /This is not a share/)
  await fires('TesseraCardNumberInLog')
  const lines = service.err().slice(shown)
  assert.match(lines, /"custodian":"\[card number\]"/)
  assert.match(lines, /"inEvent":"custodian_share","event":"log_tripwire"/)
  assert.ok(!lines.includes(number))
  assert.ok((await command('audit', 'list')).includes(`custodian:${number}`), 'the audit has the name as it was given')
  await ends('TesseraCardNumberInLog')
})

test('no alert that a person ends is left, and those that were provoked are in the table', async (t) => {
  await commandWithKek(['backup', file('backup'), ...kekFlags('tessera-kek-2027')])
  let left: readonly string[] = []
  await until(async () => (left = await prometheus.firing()).length === 0, 'every alert to end', stallSeenSeconds).catch(() =>
    assert.fail(left.join(' ')),
  )
  t.diagnostic(`in a real service: ${[...provoked].sort().join(' ')}`)
  assert.deepEqual([...provoked].sort(), [...provokedByRunbooks].sort())
})

async function start(more: readonly string[] = [], key = 'tessera-kek'): Promise<typeof service> {
  const flags = [`--port=${String(port)}`, `--admin-port=${String(adminPort)}`, '--network-timeout-ms=2000', ...kekFlags(key), ...more]
  const child = runTessera(['start', '--json', `--data=${folder}`, ...flags], environment())
  return { ...child, facts: await readFacts(child) }
}

async function stop(): Promise<void> {
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
}

function kekFlags(key = 'tessera-kek'): string[] {
  const { origin } = engine.url
  return ['--kek=transit', `--kek-transit-url=${origin}`, `--kek-transit-key=${key}`, `--kek-transit-token-file=${file('token')}`]
}

function nextFlag(): string {
  return `--kek-next-file=${file('next-kek.json')}`
}

/** The wall clock is what `setClock` says; the monotonic clock stays true. */
function environment(): NodeJS.ProcessEnv {
  return {
    ...testServiceEnvironment(),
    NODE_EXTRA_CA_CERTS: file('ca.pem'),
    LD_PRELOAD: findFaketimeLibrary() ?? assert.fail('libfaketime is missing: npm run peers installs it'),
    FAKETIME_TIMESTAMP_FILE: file('clock'),
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}

/** As libfaketime takes it. */
function setClock(text: string): void {
  writeFileSync(file('clock'), `${text}\n`)
}

/** Runs a command against the service, and returns what it prints. */
async function command(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runHere([...args, `--data=${folder}`])
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
  return out
}

/** Runs a command that calls the provider of the KEK itself, in a process that trusts its certificate. */
async function commandWithKek(args: readonly string[]): Promise<void> {
  const { code, out, err } = await runTessera([...args, `--data=${folder}`], environment()).ended
  assert.equal(code, 0, out + err)
}

function showReceipt(id: string): Promise<string> {
  return command('receipts', 'show', id)
}

async function partsAway(): Promise<string[]> {
  const response = await fetch(`${service.facts.adminUrl}/readyz`)
  const { away = [] } = (await response.json()) as { away?: readonly { readonly part: string }[] }
  return away.map(({ part }) => part)
}

async function checkPage(url: string): Promise<void> {
  await dashboard('dashboard.pageCheck.run', { url, locale: 'en' })
}

async function stateOfPage(): Promise<string> {
  const { checks } = (await dashboard('dashboard.pageCheck.list', {})) as { checks: { watch: { state: string } | null }[] }
  return checks[0]?.watch?.state ?? ''
}

async function createVerifiedToken(): Promise<string> {
  const { card } = await post('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  const token = card?.token ?? ''
  await post('cards.get_verify_code', { token })
  await post('cards.verify', { token, code: '666666' })
  return token
}

async function payWith(token: string): Promise<string> {
  const { receipt } = await post('receipts.create', { amount: 500_000, account: { order_id: '1' } })
  await post('receipts.pay', { id: receipt?._id, token })
  return receipt?._id ?? ''
}

interface Result {
  readonly card?: { readonly token: string }
  readonly receipt?: { readonly _id: string }
}

/** An error is an empty result: the network may be away. */
async function post(method: string, params: object): Promise<Result> {
  const { url, demo } = service.facts
  const headers = { 'x-auth': `${demo?.merchantId ?? ''}:${demo?.password ?? ''}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`${url}/api/${method}`, { method: 'POST', headers, body })
  return ((await response.json()) as { result?: Result }).result ?? {}
}
