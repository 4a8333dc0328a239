// time limit: 240 s
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { runOn } from '../../ops/cli/boot.fixture.ts'
import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
const card = { number: '8600495473316478', expire: '0399' }
/** A card whose calls take 10 s and then fail. */
const slowCard = { number: '8600134301849596', expire: '0399' }
/** So many connections are all at one of two workers once in eight million times. */
const connections = 24
let cluster: Cluster
let databases = 0

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`two workers on ${kind}`, () => {
    test('both listen on the port, each finds what the other stored, and one page has the metrics of both', async () => {
      const service = await start(kind)
      assert.equal(countListeners(service), 2)
      const tokens = await onEach(service, () => createToken(service))
      const found = await Promise.all(tokens.flatMap((token) => [check(service, token), check(service, token)]))
      assert.ok(found.every((reply) => reply.result !== undefined))
      const page = await metrics(service)
      assert.equal(sampleOf(page, 'tessera_requests_total{method="cards.create",profile="spec",code="0",reason=""}'), connections)
      assert.equal(sampleOf(page, 'tessera_requests_total{method="cards.check",profile="spec",code="0",reason=""}'), 2 * connections)
      assert.equal(sampleOf(page, 'tessera_request_duration_seconds_count{method="cards.check"}'), 2 * connections)
      assert.equal(sampleOf(page, 'tessera_workers'), 2)
      const { status, workers } = await readiness(service)
      assert.deepEqual([status, workers], [200, 2])
      assert.equal((await service.ask('audit', 'verify')).code, 0)
      assert.equal((await service.stop()).code, 0)
    })

    test('what an operator changes takes effect at once in both', async () => {
      const service = await start(kind)
      const { merchantId = '' } = service.facts.demo ?? {}
      const token = await createToken(service)
      assert.deepEqual(await reasons(service, token), [undefined])
      assert.equal((await service.ask('merchants', 'block', merchantId, '--yes')).code, 0)
      assert.deepEqual(await reasons(service, token), ['merchant_blocked'])
      assert.equal((await service.ask('merchants', 'unblock', merchantId)).code, 0)
      assert.deepEqual(await reasons(service, token), [undefined])
      // A token that is not verified lives half an hour.
      assert.equal((await service.ask('sandbox', 'clock', '1h')).code, 0)
      assert.deepEqual(await reasons(service, token), ['card_ended'])
      assert.equal((await service.stop()).code, 0)
    })

    test('calls under one idempotency key make one card, whichever worker they reach', async () => {
      const service = await start(kind)
      const key = { 'idempotency-key': 'a-key-of-one-card' }
      const replies = await onEach(service, () => call(service, 'cards.create', { card, save: true }, key))
      const tokens = new Set(replies.map(({ result, error }) => result?.card.token ?? error?.reason))
      assert.equal(tokens.size, 1, [...tokens].join(' '))
      assert.equal((await service.stop()).code, 0)
    })

    test('a stop completes the calls of both', async () => {
      const service = await start(kind, ['--drain-seconds=14'])
      const tokens = await Promise.all(Array.from({ length: 8 }, () => createToken(service, slowCard)))
      const slow = tokens.map((token) => call(service, 'cards.get_verify_code', { token }))
      await until(async () => (await readiness(service)).inFlight === 8, '8 calls in progress')
      const stopped = service.stop()
      await until(async () => (await readiness(service)).state === 'draining', 'draining')
      for (const { error } of await Promise.all(slow)) assert.equal(error?.reason, 'network_timeout')
      const { code, out, err } = await stopped
      assert.deepEqual([code, out.trim().split('\n').at(-1)], [0, '{"stopped":{"callsCutOff":0}}'])
      assert.equal(err.match(/"event":"stopped"/g)?.length, 1)
    })

    test('a worker that fails is reported and started again; nothing acknowledged is lost, and no counter goes back', async () => {
      const service = await start(kind)
      const tokens = await onEach(service, () => createToken(service))
      const created = 'tessera_requests_total{method="cards.create",profile="spec",code="0",reason=""}'
      const before = sampleOf(await metrics(service), created)
      failWorker(service)
      await until(() => service.err().includes('"event":"worker_ended"'), 'the end of the worker')
      const { status, state, away } = await readiness(service)
      assert.deepEqual([status, state, away?.map(({ part }) => part)], [200, 'degraded', ['workers']])
      // Whoever still comes is served by the other one.
      assert.deepEqual(await reasons(service, tokens[0] ?? ''), [undefined])
      assert.equal(sampleOf(await metrics(service), created), before)
      await until(() => service.err().includes('"event":"worker_started"'), 'the next worker')
      assert.equal((await readiness(service)).state, 'ready')
      assert.equal(countListeners(service), 2)
      for (const token of tokens) assert.notEqual((await check(service, token)).result, undefined)
      await onEach(service, () => createToken(service))
      const page = await metrics(service)
      assert.deepEqual([sampleOf(page, created), sampleOf(page, 'tessera_worker_ends_total')], [2 * connections, 1])
      assert.equal((await service.stop()).code, 0)
    })
  })
}

test('limits count the calls of all workers', async () => {
  const service = await start('sqlite', ['--limits=on', '--wrong-passwords-minute-max=6'])
  const denied: string[] = []
  while (denied.length < 2 * connections) {
    const { error } = await call(
      service,
      'cards.check',
      { token: '0'.repeat(88) },
      { 'x-auth': `${service.facts.demo?.merchantId ?? ''}:wrong` },
    )
    denied.push(error?.reason ?? '')
    // What one counts the other knows after a twentieth of a second.
    await new Promise((resolve) => setTimeout(resolve, 100))
    if (error?.reason === 'password_limit') break
  }
  assert.equal(denied.length, 7, denied.join(' '))
  assert.deepEqual(await reasonsOfWrongPassword(service), ['password_limit'])
  assert.equal((await service.stop()).code, 0)
})

async function reasonsOfWrongPassword(service: Started): Promise<(string | undefined)[]> {
  const headers = { 'x-auth': `${service.facts.demo?.merchantId ?? ''}:wrong` }
  const replies = await onEach(service, () => call(service, 'cards.check', { token: '0'.repeat(88) }, headers))
  return [...new Set(replies.map(({ error }) => error?.reason))]
}

test('a service whose worker keeps failing ends with 70', async () => {
  const service = await start('sqlite')
  failWorker(service, 'always')
  const { code, err } = await service.ended
  assert.equal(code, 70)
  assert.match(err, /"exitCode":70,.*"event":"workers_failed"/)
})

/** Starts a service with two workers, of which the second fails when a test says so. */
async function start(kind: 'sqlite' | 'postgres', args: readonly string[] = []): Promise<Started> {
  const name = `workers_${String(databases++)}`
  if (kind === 'postgres') await runOn(cluster.url, `create database ${name}`)
  const folder = join(scratch, name)
  const database: NodeJS.ProcessEnv = kind === 'postgres' ? { TESSERA_DATABASE_URL: cluster.url.replace(/postgres$/, name) } : {}
  const failing = pathToFileURL(join(import.meta.dirname, 'failing-worker.fixture.ts')).href
  return startTesseraChild(folder, ['--workers=2', ...args], {
    ...database,
    NODE_OPTIONS: `--import=${failing}`,
    TEST_FAIL_FILE: `${folder}.fail`,
  })
}

function failWorker({ folder }: Started, how: 'once' | 'always' = 'once'): void {
  assert.ok(!existsSync(`${folder}.fail`))
  writeFileSync(`${folder}.fail`, how)
}

/** One connection each, so that about half of them are at each worker. */
function onEach<T>(_service: Started, run: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: connections }, run))
}

interface CallReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string }
}

/** A call on a connection of its own, with the password. */
function call({ facts: { url, demo } }: Started, method: string, params: object, headers: Record<string, string> = {}): Promise<CallReply> {
  const agent = new Agent({ keepAlive: false })
  const auth = `${demo?.merchantId ?? ''}:${demo?.password ?? ''}`
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/${method}`, { method: 'POST', agent, headers: { 'x-auth': auth, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(JSON.parse(text) as CallReply))
    })
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

async function createToken(service: Started, of: object = card): Promise<string> {
  const { result, error } = await call(service, 'cards.create', { card: of, save: true })
  return result?.card.token ?? assert.fail(error?.reason)
}

function check(service: Started, token: string): Promise<CallReply> {
  return call(service, 'cards.check', { token })
}

/** What the workers reply, each once. */
async function reasons(service: Started, token: string): Promise<(string | undefined)[]> {
  const replies = await onEach(service, () => check(service, token))
  return [...new Set(replies.map(({ error }) => error?.reason))]
}

async function readiness({ facts }: Started) {
  const response = await fetch(`${facts.adminUrl}/readyz`)
  const body = (await response.json()) as { state: string; workers: number; inFlight: number; away?: readonly { readonly part: string }[] }
  return { status: response.status, ...body }
}

async function metrics({ facts }: Started): Promise<string> {
  return (await fetch(`${facts.adminUrl}/metrics`)).text()
}

function sampleOf(page: string, series: string): number {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? NaN)
}

/** Sockets that listen on the service's port, by /proc/net/tcp. */
function countListeners({ facts }: Started): number {
  const port = Number(new URL(facts.url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`:${port} 00000000:0000 0A`)).length
}
