// needs: prometheus, postgres
// time limit: 420 s
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'

import { findFreePort } from '../../../../tools/free-port.ts'
import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import type { RunningInfo } from '../../app/lifecycle.ts'
import { startTraceReceiver, type TraceReceiver } from '../../app/trace-receiver.fixture.ts'
import { makeScratch, readFacts, runHere, runTessera, until, type Child } from '../../testing/child.fixture.ts'

import { monitoringFolder, provokedByCalls, readAlertRules, readDashboardPanels } from './monitoring.fixture.ts'
import {
  mayBeEmpty,
  postOverTls,
  runPromtool,
  startPrometheus,
  watchAlerts,
  whileCalling,
  type RunningPrometheus,
} from './prometheus.fixture.ts'

// The shipped rules and the dashboard with the real Prometheus, which scrapes a real service on PostgreSQL.

/** The alerts that this test has made fire, and end, in the real service, are in `provoked`. */
const { fires, ends, provoked } = watchAlerts(() => prometheus)

const server = process.env['TESSERA_TEST_POSTGRES_URL'] ?? assert.fail('TESSERA_TEST_POSTGRES_URL is not set: npm run peers sets it')
const scratch = makeScratch()
const authority = makeAuthority('an authority of our own')
const files = { cert: join(scratch, 'cert.pem'), key: join(scratch, 'key.pem') }
const [port, adminPort, checkpointPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
const database = `tessera_prometheus_${String(process.pid)}`
const admin = new pg.Client({ connectionString: server })
let db: pg.Client
let prometheus: RunningPrometheus
let traces: TraceReceiver
let service: Child & { readonly facts: RunningInfo }

before(async () => {
  await admin.connect()
  await admin.query(`create database ${database}`)
  db = new pg.Client({ connectionString: databaseUrl() })
  await db.connect()
  install(10)
  traces = await startTraceReceiver()
  service = await startService(['--kek-age-days-max=20'])
  prometheus = await startPrometheus(join(scratch, 'prometheus'), { services: [`127.0.0.1:${String(adminPort)}`] })
})

after(async () => {
  await prometheus.stop()
  service.kill('SIGKILL')
  await service.ended
  await traces.close()
  await db.end()
  await admin.query(`drop database ${database} with (force)`)
  await admin.end()
})

test('promtool finds the rules valid and passes their unit tests, which fail when a bound is another', () => {
  const checked = runPromtool(['check', 'rules', 'tessera.rules.yml'])
  assert.deepEqual(
    [checked.code, new RegExp(`SUCCESS: ${String(readAlertRules().length)} rules found`).test(checked.output)],
    [0, true],
    checked.output,
  )
  const tested = runPromtool(['test', 'rules', 'tessera.rules.test.yml'])
  assert.equal(tested.code, 0, tested.output)

  const copy = join(scratch, 'planted')
  mkdirSync(copy)
  copyFileSync(join(monitoringFolder, 'tessera.rules.test.yml'), join(copy, 'tessera.rules.test.yml'))
  const rules = readFileSync(join(monitoringFolder, 'tessera.rules.yml'), 'utf8')
  const planted = rules.replace('tessera_receipts_oldest_unknown_seconds) > 900', 'tessera_receipts_oldest_unknown_seconds) > 9000')
  assert.notEqual(planted, rules)
  writeFileSync(join(copy, 'tessera.rules.yml'), planted)
  const failed = runPromtool(['test', 'rules', 'tessera.rules.test.yml'], { cwd: copy })
  assert.equal(failed.code, 1)
  assert.match(failed.output, /TesseraPaymentUnknown/)
})

test('promtool has nothing against the metrics of a real service', async () => {
  const page = await (await fetch(`http://127.0.0.1:${String(adminPort)}/metrics`)).text()
  assert.ok(page.includes('tessera_ready 1\n'))
  assert.deepEqual(runPromtool(['check', 'metrics'], { input: page }), { code: 0, output: '' })
  const planted = runPromtool(['check', 'metrics'], {
    input: page.replaceAll('tessera_requests_in_flight', 'tessera_requestsInFlight_total'),
  })
  assert.notEqual(planted.code, 0)
})

test('a certificate that expires, a KEK that is due and checkpoints that nobody takes are found from the first scrape', async () => {
  await fires('TesseraCertificateExpires', 'TesseraKekDue', 'TesseraCheckpointsWaiting')
  install(90)
  service.kill('SIGHUP')
  const receiver = createServer((_request, response) => response.writeHead(204).end())
  receiver.listen(checkpointPort, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  await ends('TesseraCertificateExpires', 'TesseraCheckpointsWaiting')
})

test('a database that was never backed up, until it is', async () => {
  await fires('TesseraBackupOld')
  const { code, out, err } = await runTessera([
    'backup',
    join(scratch, 'backup'),
    `--data=${join(scratch, 'data')}`,
    `--database-url=${databaseUrl()}`,
  ]).ended
  assert.equal(code, 0, out + err)
  await ends('TesseraBackupOld')
})

test('a certificate without its key', async () => {
  const good = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  writeFileSync(files.key, authority.certify('localhost', 90).key, { mode: 0o600 })
  service.kill('SIGHUP')
  await fires('TesseraCertificateRefused')
  writeFileSync(files.key, good.key)
  service.kill('SIGHUP')
  await ends('TesseraCertificateRefused')
})

test('a gateway that takes no message, and an endpoint of a merchant that does not answer', async () => {
  const closed = await findFreePort()
  await command('webhooks', 'add', `--url=http://127.0.0.1:${String(closed)}/`)
  await command('sandbox', 'step', 'sms', 'rejected')
  await signIn()
  const requestCode = async (): Promise<void> => {
    await call('cards.get_verify_code', { token: await createToken('8600495473316478') })
    await pay()
  }
  await whileCalling(requestCode, 2, () => fires('TesseraSmsNotAccepted', 'TesseraWebhookEndpointsDown'))
  assert.match(service.err(), new RegExp(`"merchantId":"${service.facts.demo?.merchantId ?? ''}","event":"webhook_endpoint_down"`))
  await command('sandbox', 'restore')
  const receiver = createServer((_request, response) => response.writeHead(204).end())
  receiver.listen(closed, '127.0.0.1')
  await once(receiver, 'listening')
  after(() => receiver.close())
  await ends('TesseraSmsNotAccepted', 'TesseraWebhookEndpointsDown')
})

test('a card network without an answer: its share, its breaker, the part that is away, failing calls, and the payment that stays unknown', async () => {
  const token = await createVerifiedToken()
  const paid = await payWith(token)
  await command('sandbox', 'step', 'network', 'lose_answer')
  await whileCalling(
    () => payWith(token),
    4,
    () => fires(...networkAlerts),
  )
  // A refund that the network does not confirm, and a quarter of an hour for the payments.
  await call('receipts.cancel', { id: paid })
  await command('sandbox', 'clock', '20m')
  await fires('TesseraPaymentUnknown', 'TesseraReceiptsOpenLong')
  // The time stays ahead until what was due by it is done.
  await command('sandbox', 'step', 'network', 'none')
  await whileCalling(pay, 2, () => ends(...networkAlerts, 'TesseraPaymentUnknown', 'TesseraReceiptsOpenLong'))
  await command('sandbox', 'restore')
})

test('cards that wait for the sweeper, until it comes', async () => {
  await createToken('8600069195406311')
  await command('sandbox', 'clock', '3h')
  await fires('TesseraSweepBehind')
  await ends('TesseraSweepBehind')
  await command('sandbox', 'restore')
})

test('a receiver of traces that refuses what it is sent', async () => {
  traces.reply(400)
  await whileCalling(
    () => createToken('8600069195406311'),
    2,
    () => fires('TesseraTraceSpansDropped'),
  )
  traces.reply(200)
  await ends('TesseraTraceSpansDropped')
  assert.ok(traces.spans.length > 0)
})

test('sign-ins that are guessed', async () => {
  await whileCalling(signInWrongly, 4, () => fires('TesseraSignInFlood'))
  await ends('TesseraSignInFlood')
})

test('a process that may open few files, and one that stands still', async () => {
  const pid = String(service.facts.pid)
  const limit = (soft: string): void => void execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${soft}:`])
  const [, before = ''] = /Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? []
  limit(String(readdirSync(`/proc/${pid}/fd`).length + 6))
  await fires('TesseraDescriptorsLow').finally(() => limit(before))
  await ends('TesseraDescriptorsLow')
  process.kill(service.facts.pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  process.kill(service.facts.pid, 'SIGCONT')
  // Its end is that of the window of its maximum, or of the process.
  await fires('TesseraEventLoopStalled')
})

test('rows that somebody has locked', async () => {
  await db.query('begin; lock table cards in access exclusive mode')
  await whileCalling(
    () => createToken('8600069195406311'),
    12,
    async () => {
      await fires('TesseraDatabaseBusy').finally(() => db.query('rollback'))
      await fires('TesseraCommitsSlow', 'TesseraCallsSlow')
    },
  )
  await ends('TesseraDatabaseBusy', 'TesseraCommitsSlow', 'TesseraCallsSlow')
})

test('every query of the dashboard has series after this traffic', async () => {
  const empty: string[] = []
  for (const { title, queries } of readDashboardPanels())
    for (const query of queries) {
      const filled = query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')
      if ((await prometheus.count(filled)) === 0) empty.push(`${title}: ${query}`)
    }
  assert.deepEqual(
    empty.map((line) => /tessera_[a-z_]+/.exec(line)?.[0] ?? line).filter((name) => !mayBeEmpty.includes(name)),
    [],
    empty.join('\n'),
  )
})

test('a row that somebody has changed', async () => {
  const token = await createToken('8600069195406311')
  await db.query('update cards set verified = 1 - verified')
  assert.equal(await call('cards.check', { token }), 'internal_error')
  await fires('TesseraRowsRefused', 'TesseraInternalErrors')
  await db.query('update cards set verified = 1 - verified')
  await ends('TesseraRowsRefused', 'TesseraInternalErrors')
})

test('a process that is being stopped, one that has ended, and the next one that knows a longer cryptoperiod', async () => {
  service.kill('SIGTERM')
  await fires('TesseraNotReady')
  await fires('TesseraDown')
  await service.ended
  service = await startService(['--kek-age-days-max=365'])
  await ends('TesseraDown', 'TesseraNotReady', 'TesseraKekDue', 'TesseraEventLoopStalled')
})

test('nothing fires in the end, and the alerts that were provoked are those of the table', async (t) => {
  let left: readonly string[] = []
  await until(async () => (left = await prometheus.firing()).length === 0, 'every alert to end').catch(() => assert.fail(left.join(' ')))
  t.diagnostic(`in a real service: ${[...provoked].sort().join(' ')}`)
  assert.deepEqual([...provoked].sort(), [...provokedByCalls].sort())
})

const networkAlerts = ['TesseraNetworkSilent', 'TesseraPartAway', 'TesseraCallsFailing']

async function startService(more: readonly string[]): Promise<typeof service> {
  const child = runTessera(
    [
      'start',
      '--json',
      '--host=127.0.0.1',
      `--port=${String(port)}`,
      `--admin-port=${String(adminPort)}`,
      `--data=${join(scratch, 'data')}`,
      `--database-url=${databaseUrl()}`,
      `--tls-cert-file=${files.cert}`,
      `--tls-key-file=${files.key}`,
      `--audit-checkpoint-url=http://127.0.0.1:${String(checkpointPort)}/`,
      `--dashboard-origin=https://localhost:${String(port)}`,
      '--audit-checkpoint-seconds=1',
      `--traces-endpoint=${traces.url}`,
      '--network-timeout-ms=300',
      '--lame-duck-seconds=8',
      '--dashboard-password-cost=10',
      ...more,
    ],
    {},
    [],
    // Without a terminal SIGHUP reads the certificate.
    { isDetached: true },
  )
  return { ...child, facts: await readFacts(child) }
}

function databaseUrl(): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

function install(days: number): void {
  const { cert, key } = authority.certify('localhost', days)
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key, { mode: 0o600 })
}

async function command(...args: readonly string[]): Promise<void> {
  const { code, out, err } = await runHere([...args, `--data=${join(scratch, 'data')}`])
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
}

async function createToken(number: string): Promise<string> {
  const { result } = await post('cards.create', { card: { number, expire: '0399' }, save: true })
  return result?.card?.token ?? ''
}

async function createVerifiedToken(): Promise<string> {
  const token = await createToken('8600069195406311')
  await call('cards.get_verify_code', { token })
  await call('cards.verify', { token, code: '666666' })
  return token
}

async function pay(): Promise<void> {
  await payWith(await createVerifiedToken())
}

async function payWith(token: string): Promise<string> {
  const { result } = await post('receipts.create', { amount: 500_000, account: { order_id: '1' } })
  await call('receipts.pay', { id: result?.receipt?._id, token })
  return result?.receipt?._id ?? ''
}

/** The reason of the error; '' of a result. */
async function call(method: string, params: object): Promise<string> {
  return (await post(method, params)).error?.reason ?? ''
}

async function signIn(): Promise<void> {
  assert.equal(await signInWrongly(), 'sign_in_refused')
}

/** The reason for which it was refused. */
async function signInWrongly(): Promise<string> {
  const host = `localhost:${String(port)}`
  const headers = { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
  const { error } = await send(
    '/dashboard/api',
    { id: 1, method: 'dashboard.session.signIn', params: { phone: '998900000000', password: 'wrong' } },
    headers,
  )
  return error?.reason ?? ''
}

function post(method: string, params: object): ReturnType<typeof postOverTls> {
  const { demo } = service.facts
  return send('/api', { id: 1, method, params }, { 'x-auth': `${demo?.merchantId ?? ''}:${demo?.password ?? ''}` })
}

function send(path: string, body: object, headers: Readonly<Record<string, string>>): ReturnType<typeof postOverTls> {
  return postOverTls({ port, ca: authority.cert, path, headers, body })
}
