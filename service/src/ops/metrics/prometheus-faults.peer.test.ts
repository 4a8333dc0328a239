// needs: prometheus, postgres
// time limit: 600 s
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

import { findFreePort } from '../../../../tools/free-port.ts'
import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { startSmppServer, type SmppServer } from '../../adapters/sms/smpp/smpp-server.fixture.ts'
import { clockFile } from '../../app/data-folder.ts'
import type { RunningInfo } from '../../app/lifecycle.ts'
import { failingEnvironment, failWorker } from '../../app/workers/workers.fixture.ts'
import { makeScratch, readFacts, runHere, runTessera, until, type Child } from '../../testing/child.fixture.ts'

import { provokedByFaults } from './monitoring.fixture.ts'
import {
  signInAsDemoMerchant,
  stallSeenSeconds,
  startPrometheus,
  watchAlerts,
  whileCalling,
  type RunningPrometheus,
} from './prometheus.fixture.ts'

// More of the shipped alerts, with the real Prometheus: a service on PostgreSQL whose tables somebody locks and changes, one with two workers on the embedded store
// that is restarted, short of room and without its gateways, and a canary. The gateways are doubles on loopback.

/** The alerts that this test has made fire, and end, are in `provoked`. */
const { fires, ends, provoked } = watchAlerts(() => prometheus)

const scratch = makeScratch()
const [smppPort, canaryPort] = [await findFreePort(), await findFreePort()]
let cluster: Cluster
let db: pg.Client
let prometheus: RunningPrometheus
let main: Running
let small: Running
let canary: Child
let centre: SmppServer | null = null
let isGatewaySilent = true
let webhookStatus = 500
const pageText = '<!doctype html><title>Pay</title><div id="card"></div><script src="/checkout.js" integrity="sha384-one"></script>'
const page = await listen((_request, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(pageText))
const receiver = await listen((_request, response) => response.writeHead(webhookStatus).end())
const gateway = await listen((_request, response) => {
  if (!isGatewaySilent) response.writeHead(202).end('0: Accepted for delivery')
})

interface Running extends Child {
  readonly facts: RunningInfo
  readonly folder: string
  readonly flags: readonly string[]
}

before(async () => {
  cluster = await startCluster({ settings: { autovacuum: 'off' } })
  db = await connectDatabase()
  main = await start(join(scratch, 'main'), [
    ...(await fixedPorts()),
    `--database-url=${cluster.url}`,
    '--network-timeout-ms=300',
    '--in-flight-max=32',
  ])
  small = await start(
    join(scratch, 'small'),
    [
      ...(await fixedPorts()),
      '--workers=2',
      '--wrong-passwords-minute-max=6',
      '--connections-max=100',
      '--sms=smpp,http',
      ...gatewayFlags(),
    ],
    { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'other-version.fixture.ts')).href}` },
  )
  canary = startCanary()
  prometheus = await startPrometheus(join(scratch, 'prometheus'), {
    services: [main, small].map(({ facts }) => new URL(facts.adminUrl).host),
    canary: `127.0.0.1:${String(canaryPort)}`,
  })
})

after(async () => {
  await prometheus.stop()
  for (const child of [main, small, canary]) {
    child.kill('SIGKILL')
    await child.ended
  }
  await centre?.close()
  for (const each of [page, receiver, gateway]) each.close()
  await db.end()
  await cluster.stop()
})

test('a process of another version, and one whose gateways are away: the message centre, and one that accepts connections and is silent', async () => {
  await watchPage()
  await fires('TesseraVersionsDiffer')
  await whileCalling(requestCode, 8, () => fires('TesseraBreakerOpen'))
  isGatewaySilent = false
  await whileCalling(requestCode, 2, () => ends('TesseraBreakerOpen'))
  await fires('TesseraSmsConnectionAway')
  centre = await startSmppServer({ port: smppPort })
  await ends('TesseraSmsConnectionAway')
})

test('connections beyond their maximum, a worker that ends, and a limit that a merchant reaches', async () => {
  const sockets = Array.from({ length: 220 }, () =>
    connect(Number(new URL(small.facts.url).port), '127.0.0.1').on('error', () => undefined),
  )
  await fires('TesseraMemoryFull').finally(() => sockets.forEach((socket) => socket.destroy()))
  failWorker(small)
  await fires('TesseraWorkerEnded')
  await ends('TesseraMemoryFull', 'TesseraWorkerEnded')
  // No other limit than that of cards with one prefix.
  const others = [
    'create-address-minute',
    'create-address-hour',
    'create-block-minute',
    'create-block-hour',
    'create-merchant-minute',
    'pan-hour',
  ]
  await restart([
    '--limits=on',
    '--iin-limit=on',
    '--short-iin-hour-max=1',
    '--long-iin-hour-max=1',
    ...others.map((name) => `--${name}-max=100000`),
  ])
  await whileCalling(
    () => createToken(small),
    2,
    () => fires('TesseraLimitsReached'),
  )
  await ends('TesseraLimitsReached')
})

test('an embedded store near its maximum, a clock that stands behind, a service that is started again and again, and what the canary sees of it', async () => {
  await restart(['--store-megabytes-max=1'])
  await fires('TesseraStoreFilling')
  // As if the clock of the machine had been two days ahead until now.
  await stop(small)
  const path = join(small.folder, clockFile)
  const state = JSON.parse(readFileSync(path, 'utf8')) as { seenMs: number }
  writeFileSync(path, JSON.stringify({ ...state, seenMs: state.seenMs + 2 * 86_400_000 }))
  await fires('TesseraCanaryFailing')
  await restart()
  await fires('TesseraClockRefused')
  await command(small, 'clock', 'confirm', `--time=${new Date().toISOString()}`)
  await ends('TesseraClockRefused', 'TesseraStoreFilling', 'TesseraVersionsDiffer', 'TesseraCanaryFailing')
  for (let starts = 0; starts < 3; starts++) await restart()
  await fires('TesseraRestarting')
  await ends('TesseraRestarting')
})

test('tables that somebody has locked: what the jobs of a service leave undone, and calls that are too many', async () => {
  await until(async () => (await prometheus.count('tessera_page_readings_total{outcome="new"} > 0')) > 0, 'the first reading of the page')
  await command(main, 'webhooks', 'add', `--url=http://127.0.0.1:${portOf(receiver)}/`)
  const token = await createVerifiedToken()
  await payWith(token)
  await command(main, 'sandbox', 'step', 'network', 'lose_answer')
  await payWith(token)
  await command(main, 'keys', 'rotate', 'card', demoOf(main).merchantId)
  await db.query('begin; lock table cards, receipts, deliveries, page_watches, request_segments in exclusive mode')
  await command(main, 'sandbox', 'clock', '75h')
  await fires('TesseraReceiptsOverdue', 'TesseraWebhooksLate', 'TesseraPageReadingsLate', 'TesseraResealBehind')
  await whileCalling(
    () => createToken(main),
    80,
    () => fires('TesseraOverloaded'),
  )
  await whileCalling(
    () => post(main, 'cards.check', { token }),
    24,
    () => fires('TesseraRequestLogDropped'),
  )
  await db.query('rollback')
  await command(main, 'sandbox', 'step', 'network', 'none')
  webhookStatus = 204
  await ends('TesseraReceiptsOverdue', 'TesseraWebhooksLate', 'TesseraPageReadingsLate', 'TesseraOverloaded', 'TesseraRequestLogDropped')
  // Cards are resealed every half a minute, when calls leave time for it.
  await ends('TesseraResealBehind')
})

test('a job whose table is gone, and an audit that somebody has changed', async () => {
  await db.query('alter table tallies rename to tallies_away')
  await whileCalling(
    () => createToken(main),
    1,
    () => fires('TesseraJobFailing'),
  )
  await db.query('alter table tallies_away rename to tallies')

  // Before the audit is changed: no backup is made of one that does not verify.
  await command(main, 'backup', join(scratch, 'backup-of-main'), `--database-url=${cluster.url}`)
  const newest = `(chain, seq) in (select chain, max(seq) from audit group by chain)`
  await db.query(`update audit set actor = actor || 'x' where ${newest}`)
  await createToken(main)
  await fires('TesseraAuditFault')
  await ends('TesseraJobFailing', 'TesseraAuditFault')
})

test('no alert of broken jobs is left in the end, and those that were provoked are in the table', async (t) => {
  await command(small, 'backup', join(scratch, 'backup-of-small'))
  let left: readonly string[] = []
  await until(async () => (left = await prometheus.firing()).length === 0, 'every alert to end', stallSeenSeconds).catch(() =>
    assert.fail(left.join(' ')),
  )
  t.diagnostic(`in a real service: ${[...provoked].sort().join(' ')}`)
  assert.deepEqual([...provoked].sort(), [...provokedByFaults].sort())
})

async function fixedPorts(): Promise<string[]> {
  return [`--port=${String(await findFreePort())}`, `--admin-port=${String(await findFreePort())}`]
}

async function start(folder: string, flags: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const failing = failingEnvironment(folder)
  const options = [failing['NODE_OPTIONS'], env['NODE_OPTIONS'] ?? ''].join(' ')
  const child = runTessera(['start', '--json', `--data=${folder}`, ...flags], { ...failing, ...env, NODE_OPTIONS: options })
  return { ...child, folder, flags, facts: await readFacts(child) }
}

async function stop(running: Running): Promise<void> {
  running.kill('SIGTERM')
  await running.ended
}

/** The small service again, of this version. */
async function restart(more: readonly string[] = []): Promise<void> {
  await stop(small)
  const { flags } = small
  small = { ...(await start(small.folder, [...flags, ...more])), flags }
}

function startCanary(): Child {
  const write = (name: string, text: string): string => {
    const path = join(scratch, name)
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
    return path
  }
  const { merchantId, password } = demoOf(small)
  return runTessera([
    'canary',
    `--url=${small.facts.url}`,
    `--merchant=${write('canary-merchant', `${merchantId}:${password}`)}`,
    `--card=${write('canary-card', '8600495473316478 0399')}`,
    '--every=10',
    `--metrics-port=${String(canaryPort)}`,
  ])
}

function gatewayFlags(): string[] {
  const password = join(scratch, 'gateway-password')
  writeFileSync(password, 'secret\n', { mode: 0o600 })
  const privately = { 'password-file': password, sender: '4546', transport: 'private', 'private-reason': 'the loopback of a test' }
  const smpp = { ...privately, host: '127.0.0.1', port: smppPort, 'system-id': 'shop', 'message-ids': 'hex_response', weight: 0 }
  const http = { ...privately, template: 'kannel', 'base-url': `http://127.0.0.1:${portOf(gateway)}`, username: 'tessera' }
  const flagsOf = (name: string, values: object): string[] =>
    Object.entries(values).map(([key, value]) => `--sms-${name}-${key}=${String(value)}`)
  return [...flagsOf('smpp', smpp), ...flagsOf('http', http)]
}

async function listen(handle: RequestListener): Promise<Server> {
  const made = createServer(handle)
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  return made
}

function portOf(listening: Server): string {
  return String((listening.address() as AddressInfo).port)
}

async function connectDatabase(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function command({ folder }: Running, ...args: readonly string[]): Promise<void> {
  const { code, out, err } = await runHere([...args, `--data=${folder}`])
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
}

async function requestCode(): Promise<void> {
  await post(small, 'cards.get_verify_code', { token: await createToken(small) })
}

async function createToken(of: Running): Promise<string> {
  const { result } = await post(of, 'cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  return result?.card?.token ?? ''
}

async function createVerifiedToken(): Promise<string> {
  const token = await createToken(main)
  await post(main, 'cards.get_verify_code', { token })
  await post(main, 'cards.verify', { token, code: '666666' })
  return token
}

async function payWith(token: string): Promise<void> {
  const { result } = await post(main, 'receipts.create', { amount: 500_000, account: { order_id: '1' } })
  await post(main, 'receipts.pay', { id: result?.receipt?._id, token })
}

/** Signs in to the dashboard and checks the page by its address. */
async function watchPage(): Promise<void> {
  const dashboard = await signInAsDemoMerchant(main.facts)
  await dashboard('dashboard.pageCheck.run', { url: `http://127.0.0.1:${portOf(page)}/`, locale: 'en' })
}

interface Reply {
  readonly result?: {
    readonly card?: { readonly token: string }
    readonly receipt?: { readonly _id: string }
  }
  readonly error?: { readonly reason: string }
}

function demoOf({ facts }: Running): NonNullable<RunningInfo['demo']> {
  return facts.demo ?? assert.fail('there is no demo merchant')
}

/** A call that is cut off is an empty reply: the service may be away. */
async function post(of: Running, method: string, params: object, password = demoOf(of).password): Promise<Reply> {
  const headers = { 'x-auth': `${demoOf(of).merchantId}:${password}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return fetch(`${of.facts.url}/api/${method}`, { method: 'POST', headers, body }).then(
    async (response) => (await response.json()) as Reply,
    () => ({}),
  )
}
