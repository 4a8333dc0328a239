// time limit: 300 s
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { runOn } from '../../ops/cli/boot.fixture.ts'
import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { decodeBase32 } from '../../testing/base32.fixture.ts'
import { until, type Started } from '../../testing/child.fixture.ts'

import {
  callAlone,
  goodCard,
  checkAlone,
  manyConnections,
  countListeners,
  createToken,
  failWorker,
  onEach,
  startWorkers,
} from './workers.fixture.ts'

/** A card whose calls take 10 s and then fail. */
const slowCard = { number: '8600134301849596', expire: '0399' }
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
      assert.equal(countListeners(service.facts.url), 2)
      const tokens = await onEach(() => createToken(service.facts.url))
      const found = await Promise.all(
        tokens.flatMap((token) => [checkAlone(service.facts.url, token), checkAlone(service.facts.url, token)]),
      )
      assert.ok(found.every((reply) => reply.result !== undefined))
      const page = await metrics(service)
      assert.equal(sampleOf(page, 'tessera_requests_total{method="cards.create",profile="spec",code="0",reason=""}'), manyConnections)
      assert.equal(sampleOf(page, 'tessera_requests_total{method="cards.check",profile="spec",code="0",reason=""}'), 2 * manyConnections)
      assert.equal(sampleOf(page, 'tessera_request_duration_seconds_count{method="cards.check"}'), 2 * manyConnections)
      assert.equal(sampleOf(page, 'tessera_workers'), 2)
      const { status, workers } = await readiness(service)
      assert.deepEqual([status, workers], [200, 2])
      assert.equal((await service.ask('audit', 'verify')).code, 0)
      assert.equal((await service.stop()).code, 0)
    })

    test('what an operator changes takes effect at once in both', async () => {
      const service = await start(kind)
      const { merchantId = '' } = service.facts.demo ?? {}
      const token = await createToken(service.facts.url)
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
      const replies = await onEach(() => callAlone(service.facts.url, 'cards.create', { card: goodCard, save: true }, key))
      const tokens = new Set(replies.map(({ result, error }) => result?.card.token ?? error?.reason))
      assert.equal(tokens.size, 1, [...tokens].join(' '))
      assert.equal((await service.stop()).code, 0)
    })

    test('a stop completes the calls of both', async () => {
      const service = await start(kind, ['--drain-seconds=14'])
      const tokens = await Promise.all(Array.from({ length: 8 }, () => createToken(service.facts.url, slowCard)))
      const slow = tokens.map((token) => callAlone(service.facts.url, 'cards.get_verify_code', { token }))
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
      const tokens = await onEach(() => createToken(service.facts.url))
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
      assert.equal(countListeners(service.facts.url), 2)
      for (const token of tokens) assert.notEqual((await checkAlone(service.facts.url, token)).result, undefined)
      await onEach(() => createToken(service.facts.url))
      const page = await metrics(service)
      assert.deepEqual([sampleOf(page, created), sampleOf(page, 'tessera_worker_ends_total')], [2 * manyConnections, 1])
      assert.equal((await service.stop()).code, 0)
    })
  })
}

test('limits count the calls of all workers', async () => {
  const service = await start('sqlite', ['--limits=on', '--wrong-passwords-minute-max=6'])
  const denied: string[] = []
  while (denied.length < 2 * manyConnections) {
    const { error } = await callAlone(
      service.facts.url,
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

test('a user signs in at any worker, and the session is one of all', async () => {
  const service = await start('sqlite')
  const { dashboardPhone: phone, dashboardPassword: password } = service.facts.demo ?? assert.fail('there is no demo')
  let cookie = ''
  // One after the other: an address may have four that wait.
  for (let i = 0; i < 10; i++) {
    const reply = await callDashboard(service, 'dashboard.session.signIn', { phone, password })
    assert.equal(reply.reason, undefined)
    cookie = reply.cookie
  }
  const sessions = await onEach(() => callDashboard(service, 'dashboard.session.get', {}, cookie))
  assert.deepEqual([...new Set(sessions.map(({ hasSession }) => hasSession))], [true])
  assert.equal((await service.stop()).code, 0)
})

test('a second factor that one worker has offered is enabled by its code at any', async () => {
  const service = await start('sqlite')
  const { dashboardPhone: phone, dashboardPassword: password } = service.facts.demo ?? assert.fail('there is no demo')
  const { cookie } = await callDashboard(service, 'dashboard.session.signIn', { phone, password })
  const csrf = (await callDashboard(service, 'dashboard.session.get', {}, cookie)).result?.session?.csrf ?? ''
  const secrets = new Set<string>()
  for (let i = 0; i < 8; i++)
    secrets.add(
      (await callDashboard(service, 'dashboard.totp.begin', { password }, cookie, csrf)).result?.secret ?? assert.fail('no secret'),
    )
  assert.equal(secrets.size, 1)
  const [secret = ''] = secrets
  const code = totpCode(decodeBase32(secret), totpStepAt(Date.now()))
  const { result } = await callDashboard(service, 'dashboard.totp.confirm', { code }, cookie, csrf)
  assert.equal(result?.recoveryCodes?.length, 10)
  const next = await callDashboard(service, 'dashboard.totp.begin', { password }, cookie, csrf)
  assert.notEqual(next.result?.secret, secret)
  assert.equal((await service.stop()).code, 0)
})

test('a service whose worker keeps failing is degraded, answers with the others, and is whole when it no longer fails', async () => {
  const service = await start('sqlite')
  const token = await createToken(service.facts.url)
  failWorker(service, 'always')
  const ends = (): number => service.err().match(/"event":"worker_ended"/g)?.length ?? 0
  await until(() => ends() >= 4, 'four ends of the worker')
  await until(async () => countListeners(service.facts.url) === 1, 'the other one alone')
  assert.deepEqual(await reasons(service, token), [undefined])
  const { status, state } = await readiness(service)
  assert.deepEqual([status, state], [200, 'degraded'])
  rmSync(`${service.folder}.fail`)
  await until(async () => (await readiness(service)).state === 'ready' && countListeners(service.facts.url) === 2, 'both')
  assert.deepEqual(await reasons(service, token), [undefined])
  assert.equal((await service.stop()).code, 0)
})

async function reasonsOfWrongPassword(service: Started): Promise<(string | undefined)[]> {
  const headers = { 'x-auth': `${service.facts.demo?.merchantId ?? ''}:wrong` }
  const replies = await onEach(() => callAlone(service.facts.url, 'cards.check', { token: '0'.repeat(88) }, headers))
  return [...new Set(replies.map(({ error }) => error?.reason))]
}

async function start(kind: 'sqlite' | 'postgres', args: readonly string[] = []): Promise<Started> {
  if (kind === 'sqlite') return startWorkers(args)
  const name = `workers_${String(databases++)}`
  await runOn(cluster.url, `create database ${name}`)
  return startWorkers(args, { TESSERA_DATABASE_URL: cluster.url.replace(/postgres$/, name) })
}

/** What the workers reply, each once. */
async function reasons(service: Started, token: string): Promise<(string | undefined)[]> {
  const replies = await onEach(() => checkAlone(service.facts.url, token))
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

interface DashboardReply {
  readonly reason: string | undefined
  readonly cookie: string
  readonly hasSession: boolean
  readonly result:
    | { readonly session?: { readonly csrf: string } | null; readonly secret?: string; readonly recoveryCodes?: readonly string[] }
    | undefined
}

/** On a connection of its own. */
function callDashboard({ facts: { url } }: Started, method: string, params: object, cookie = '', csrf = '') {
  const origin = url.replace('127.0.0.1', 'localhost')
  const headers = {
    'content-type': 'application/json',
    origin,
    host: new URL(origin).host,
    'sec-fetch-site': 'same-origin',
    cookie,
    'x-tessera-csrf': csrf,
  }
  return new Promise<DashboardReply>((resolve, reject) => {
    const sent = request(`${url}/dashboard/api`, { method: 'POST', agent: false, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => {
        const { result, error } = JSON.parse(text) as { result?: DashboardReply['result']; error?: { reason: string } }
        const [set = ''] = response.headers['set-cookie'] ?? []
        resolve({ reason: error?.reason, cookie: set.split(';')[0] ?? '', hasSession: (result?.session ?? null) !== null, result })
      })
    })
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}
