import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { demoMerchant } from '../adapters/sandbox/sandbox.ts'
import type { Config } from '../ops/config/config.ts'
import { makeMetrics } from '../ops/metrics/metrics.ts'
import type { SmsMessage } from '../adapters/sms/sms.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { makeHandClock } from '../testing/clock.fixture.ts'
import { defaultConfig } from '../testing/default-config.fixture.ts'
import { alarmLog, createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.fixture.ts'
import { makeSystemClock } from '../system-clock.ts'
import type { HttpRequest } from '../server/http/request.ts'

import { openTraces } from './open-traces.ts'
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from './trace-receiver.fixture.ts'

const server = `${demoMerchant.id}:${demoMerchant.password}`
const merchantTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const noLog = alarmLog([])
const now = (): number => performance.now()
const traceparent = `00-${merchantTrace}-00f067aa0ba902b7-01`

test('a call is a server span by the conventions for JSON-RPC, with what it read, wrote and called below it, under the id of the reply', async (t) => {
  const { app, receiver } = await startTraced(t)
  const { reply } = await post(app, 'cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  const { token } = reply.result?.card ?? assert.fail()
  const sent = await post(app, 'cards.get_verify_code', { token })
  const refused = await post(app, 'cards.verify', { token, code: '000000' })
  await app.close()
  const call = spanOf(receiver, 'cards.get_verify_code')
  assert.deepEqual([call.kind, call.parentSpanId, call.isError], [2, null, false])
  assert.deepEqual(call.attributes, {
    'rpc.system': 'jsonrpc',
    'rpc.jsonrpc.version': '2.0',
    'rpc.method': 'cards.get_verify_code',
    'http.request.method': 'POST',
    'http.route': '/api/{method}',
    'http.response.status_code': 200,
    'tessera.request_id': sent.requestId,
    'tessera.merchant_id': demoMerchant.id,
    'tessera.caller': 'server',
  })
  const steps = receiver.spans.filter(({ parentSpanId }) => parentSpanId === call.spanId)
  assert.ok(steps.every(({ traceId, kind }) => traceId === call.traceId && kind === 3))
  const names = steps.map(({ name }) => name)
  for (const name of ['network start_verification', 'sms send', 'store read SELECT cards'])
    assert.ok(names.includes(name), names.join(', '))
  assert.equal(steps.find(({ name }) => name === 'sms send')?.attributes['tessera.outcome'], 'accepted')
  const write = steps.find(({ name }) => name.startsWith('store write')) ?? assert.fail(names.join(', '))
  assert.equal(write.attributes['db.system.name'], 'sqlite')
  assert.equal(write.attributes['tessera.store.commits'], 1, 'it waited for one COMMIT')
  assert.equal(write.attributes['tessera.store.waiting_writes'], 0)
  for (const { startNanos, endNanos } of steps)
    assert.ok(call.startNanos <= startNanos && startNanos <= endNanos && endNanos <= call.endNanos)
  const wrong = spanOf(receiver, 'cards.verify')
  assert.equal(refused.reply.error?.code, wrong.attributes['rpc.jsonrpc.error_code'])
  assert.deepEqual([wrong.attributes['error.type'], wrong.isError], ['wrong_code', false])
  assert.deepEqual(
    Object.keys(call.resource).filter((name) => !name.startsWith('telemetry.sdk.')),
    ['service.name', 'service.version', 'service.instance.id', 'deployment.environment.name'],
  )
})

test('each call of a batch is a span of its own, and one that fails for our reasons is an error', async (t) => {
  const { app, receiver } = await startTraced(t, {
    network: (sandbox) => ({ ...sandbox, startVerification: () => Promise.reject(new TypeError('8600495473316478')) }),
  })
  const { reply } = await post(app, 'cards.create', { card: { number: '8600495473316478', expire: '0399' } })
  const token = reply.result?.card.token
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'cards.check', params: { token } },
    { jsonrpc: '2.0', id: 2, method: 'cards.get_verify_code', params: { token } },
  ]
  await app.app.handle(request(calls, { xAuth: server }))
  await app.close()
  const [check, code] = [spanOf(receiver, 'cards.check'), spanOf(receiver, 'cards.get_verify_code')]
  assert.equal(check.attributes['http.route'], '/api')
  assert.ok(check.endNanos <= code.startNanos, 'one after the other')
  const failed = spanOf(receiver, 'network start_verification')
  assert.deepEqual([failed.parentSpanId, failed.isError, failed.attributes['error.type']], [code.spanId, true, 'TypeError'])
  assert.ok(!Buffer.concat(receiver.bodies).includes('8600495473316478'), 'the message of an error may say anything')
})

test('no card number, token, code, phone, name, password, order text or header of a caller is in what is sent, wherever a caller puts it', async (t) => {
  let sentMessage: SmsMessage | null = null as SmsMessage | null
  const planted = {
    pan: '8600495473316478',
    order: 'ORDER-5f2b7c-Navoiy',
    customer: 'customer-9d1e77',
    phone: '998901234567',
    title: 'Plov kafe 77',
    header: 'plantedheader',
  }
  const { app, receiver } = await startTraced(t, {
    config: { tracesParent: 'join_and_sample' },
    sms: (sandbox) => ({ ...sandbox, send: (message, signal) => sandbox.send((sentMessage = message), signal) }),
  })
  const card = { number: planted.pan, expire: '0399' }
  const { reply } = await post(app, 'cards.create', { card, save: true, customer: planted.customer, account: { order_id: planted.order } })
  const { token = '' } = reply.result?.card ?? {}
  await post(app, 'cards.get_verify_code', { token })
  await post(app, 'cards.verify', { token, code: '666666' })
  const detail = {
    receipt_type: 0,
    items: [{ title: planted.title, price: 500_000, count: 1, code: '00702001001000001', vat_percent: 12, package_code: '1' }],
  }
  const receipt = await post(app, 'receipts.create', {
    amount: 500_000,
    account: { order_id: planted.order },
    description: planted.title,
    detail,
  })
  const id = receipt.reply.result?.receipt?._id
  const paid = await post(app, 'receipts.pay', { id, token, payer: { phone: planted.phone, name: planted.title } })
  assert.equal(paid.reply.error, undefined, JSON.stringify(paid.reply))
  // In every place of a call that may say anything.
  for (const value of Object.values(planted)) {
    await post(app, value, { token: value })
    await post(app, 'cards.check', { token: value, [value]: value }, { idempotencyKey: { key: value }, traceparent: value, origin: value })
    await app.app.handle(
      request({ jsonrpc: value, id: value, method: 'cards.check', params: [value] }, { xAuth: `${value}:${value}`, segment: value }),
    )
    await post(
      app,
      'cards.check',
      { token },
      { traceparent: `00-${'8600495473316478'.repeat(2)}-${value.slice(0, 16).padEnd(16, '0')}-01`, acceptLanguage: value },
    )
  }
  await app.close()
  assert.ok(receiver.spans.length > 60, String(receiver.spans.length))
  assert.match(`${sentMessage?.phone ?? ''} ${sentMessage?.text ?? ''}`, /998[0-9]{9} .*666666/)
  const secrets = [
    sentMessage?.phone ?? '',
    sentMessage?.text ?? '',
    ...Object.values(planted),
    token,
    token.split('_')[1] ?? assert.fail(),
    '666666',
    demoMerchant.password,
  ]
  for (const body of receiver.bodies) for (const secret of secrets) assert.ok(!withoutIds(body).includes(secret), secret)
  for (const { name, attributes } of receiver.spans) {
    assert.match(name, /^(?:[a-z_.]+|unknown|store (?:read|write|scan) [A-Za-z_ ]+|(?:network|sms|kek|job) [a-z_]+)$/i)
    for (const [key, value] of Object.entries(attributes)) assert.match(String(value), shapes[key] ?? assert.fail(key), key)
  }
  // The control: what is looked for would be found.
  assert.ok(receiver.bodies.some((body) => withoutIds(body).includes(demoMerchant.id)))
})

test('a traceparent is ignored by default; joined where the settings say so, for a server alone; and decides only where they say that too', async (t) => {
  const traceOf = async (config: Partial<Config>, headers: Partial<HttpRequest>): Promise<string | null> => {
    const { app, receiver } = await startTraced(t, { config })
    await post(app, 'cards.check', { token: 'none' }, { traceparent, ...headers })
    await app.close()
    const [span] = receiver.spans.filter(({ name }) => name === 'cards.check')
    return span === undefined ? null : span.traceId === merchantTrace ? `joined ${String(span.parentSpanId)}` : 'own'
  }
  assert.equal(await traceOf({}, {}), 'own')
  assert.equal(await traceOf({ tracesParent: 'join' }, {}), 'joined 00f067aa0ba902b7')
  assert.equal(await traceOf({ tracesParent: 'join' }, { isFromBrowser: true }), 'own')
  assert.equal(await traceOf({ tracesParent: 'join' }, { xAuth: null }), 'own')
  const rare = 1_000_000
  assert.equal(await traceOf({ tracesParent: 'join', tracesSampleEvery: rare }, {}), null)
  assert.equal(await traceOf({ tracesParent: 'join_and_sample', tracesSampleEvery: rare }, {}), 'joined 00f067aa0ba902b7')
  assert.equal(
    await traceOf({ tracesParent: 'join_and_sample', tracesSampleEvery: rare }, { traceparent: traceparent.replace(/1$/, '0') }),
    null,
  )
  for (const bad of [
    `${traceparent}-more`,
    traceparent.replace('00-', 'ff-'),
    traceparent.toUpperCase(),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    'x'.repeat(100_000),
  ])
    assert.equal(await traceOf({ tracesParent: 'join' }, { traceparent: bad }), 'own', bad.slice(0, 60))
})

test('a receiver that is away, slow or refusing holds up no call and no stop: spans beyond the queue are dropped, and all of them are counted', async (t) => {
  const { receiver } = await startReceiver(t)
  receiver.reply(null)
  const metrics = makeMetrics(makeHandClock(), [])
  const tracing = await openTraces(
    { ...defaultConfig, tracesEndpoint: receiver.url },
    { clock: makeSystemClock(), now, log: noLog, metrics },
  )
  assert.ok(tracing !== null)
  const startedAt = performance.now()
  for (let at = 0; at < 6000; at++) await tracing.step({ name: 'sms send', kind: 'outside', attributes: {} }, () => Promise.resolve())
  const page = await metrics.render()
  assert.match(page, /tessera_trace_spans_total\{outcome="queue_full"\} 1904\n/)
  await tracing.close()
  assert.ok(performance.now() - startedAt < 10_000)
  const after = await metrics.render()
  assert.match(after, /tessera_trace_spans_total\{outcome="not_taken"\} 4096\n/)
  assert.match(after, /tessera_trace_spans_total\{outcome="exported"\} 0\n/)
})

test('what the receiver refuses is given up at once, and what it is too busy for is sent again', async (t) => {
  for (const [status, isSentAgain] of [
    [400, false],
    [503, true],
  ] as const) {
    const { receiver } = await startReceiver(t)
    receiver.reply(status)
    const clock = makeHandClock()
    const metrics = makeMetrics(clock, [])
    const slept: number[] = []
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms)
      receiver.reply(200)
      return Promise.resolve()
    }
    const timed = { ...clock, sleep: (ms: number, signal: AbortSignal) => (ms === 1000 ? sleep(ms) : clock.sleep(ms, signal)) }
    const tracing = await openTraces({ ...defaultConfig, tracesEndpoint: receiver.url }, { clock: timed, now, log: noLog, metrics })
    await tracing?.step({ name: 'sms send', kind: 'outside', attributes: {} }, () => Promise.resolve())
    await tracing?.close()
    assert.equal(receiver.spans.length, isSentAgain ? 1 : 0)
    assert.deepEqual(slept, isSentAgain ? [1000] : [])
  }
})

test('a job is a span when it did something, and what it reads is below it', async (t) => {
  const { receiver } = await startReceiver(t)
  const deps = { clock: makeHandClock(), now, log: noLog, metrics: makeMetrics(makeHandClock(), []) }
  const tracing = (await openTraces({ ...defaultConfig, tracesEndpoint: receiver.url }, deps)) ?? assert.fail()
  const read = () => tracing.step({ name: 'store read', kind: 'read', attributes: {} }, () => Promise.resolve(1))
  const write = () => tracing.step({ name: 'store write', kind: 'write', attributes: {} }, () => Promise.resolve(1))
  await tracing.job('cards_shredded', async () => (await read()) - 1)
  await tracing.job('cards_resealed', async () => (await read()) + (await write()) + (await read()))
  await assert.rejects(
    tracing.job('keys_renewed', () => Promise.reject(new RangeError('8600495473316478'))),
    RangeError,
  )
  await tracing.close()
  const [job, failed] = [spanOf(receiver, 'job cards_resealed'), spanOf(receiver, 'job keys_renewed')]
  assert.deepEqual(
    receiver.spans.map(({ name }) => name),
    ['store write', 'store read', 'job cards_resealed', 'job keys_renewed'],
  )
  assert.deepEqual(job.attributes, { 'tessera.job': 'cards_resealed', 'tessera.job.count': 3 })
  assert.ok(receiver.spans.slice(0, 2).every(({ parentSpanId }) => parentSpanId === job.spanId))
  assert.deepEqual([failed.isError, failed.attributes['error.type']], [true, 'RangeError'])
})

test('the header of a file is sent to the receiver, and a file that others can read, or without a header, refuses the start', async (t) => {
  const { receiver } = await startReceiver(t)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-traces-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const deps = { clock: makeHandClock(), now, log: noLog, metrics: makeMetrics(makeHandClock(), []) }
  const path = join(folder, 'header')
  const open = () => openTraces({ ...defaultConfig, tracesEndpoint: receiver.url, tracesHeaderFile: path }, deps)
  await assert.rejects(open(), /TESSERA_TRACES_HEADER_FILE: the secret file .* cannot be read/)
  writeFileSync(path, 'Authorization: Bearer 7c1f\n', { mode: 0o600 })
  const tracing = (await open()) ?? assert.fail()
  await tracing.step({ name: 'sms send', kind: 'outside', attributes: {} }, () => Promise.resolve())
  await tracing.close()
  assert.equal(receiver.headers[0]?.authorization, 'Bearer 7c1f')
  writeFileSync(path, 'Bearer 7c1f\n')
  await assert.rejects(open(), (err: Error) => /is no header/.test(err.message) && !err.message.includes('7c1f'))
  chmodSync(path, 0o644)
  await assert.rejects(open(), /can be read by other users/)
})

const id = /^[0-9a-f]{24}$/
const number = /^-?[0-9]{1,6}$/
/** What each attribute may look like. */
const shapes: Readonly<Record<string, RegExp>> = {
  'tessera.request_id': id,
  'tessera.merchant_id': id,
  'tessera.caller': /^(?:server|browser)$/,
  'rpc.system': /^jsonrpc$/,
  'rpc.jsonrpc.version': /^2\.0$/,
  'rpc.method': /^(?:unknown|cards\.[a-z_]+|receipts\.[a-z_]+)$/,
  'rpc.jsonrpc.error_code': number,
  'http.request.method': /^POST$/,
  'http.route': /^\/api(?:\/\{method\})?$/,
  'http.response.status_code': number,
  'error.type': /^[A-Za-z_]{1,40}$/,
  'db.system.name': /^sqlite$/,
  'db.query.summary': /^(?:[A-Z]+ [a-z_]+|[A-Za-z]+)$/,
  'tessera.store.waiting_writes': number,
  'tessera.store.commits': number,
  'tessera.peer': /^(?:sandbox|development-file)$/,
  'tessera.outcome': /^[A-Za-z_]{1,32}$/,
}

test('docs/operating/traces.md lists every attribute that a span may have, and no other', () => {
  const source = readFileSync(new URL('../ops/tracing/tracing.ts', import.meta.url), 'utf8')
  const page = readFileSync(new URL('../../../docs/operating/traces.md', import.meta.url), 'utf8')
  const declared = [...source.matchAll(/^ {2}readonly '([a-z_.]+)'\?:/gm)].map(([, name]) => name)
  const [, table = ''] = /## Attributes\n([^]*?)\n## /.exec(page) ?? []
  const listed = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  assert.ok(declared.length > 15)
  assert.deepEqual(listed.toSorted(), declared.toSorted())
  assert.ok(Object.keys(shapes).every((name) => declared.includes(name)))
})

async function startReceiver(t: TestContext): Promise<{ receiver: TraceReceiver }> {
  const receiver = await startTraceReceiver()
  t.after(() => receiver.close())
  return { receiver }
}

async function startTraced(t: TestContext, options: TestAppOptions = {}): Promise<{ app: TestApp; receiver: TraceReceiver }> {
  const { receiver } = await startReceiver(t)
  const app = await createTestApp(t, { ...options, config: { tracesEndpoint: receiver.url, ...options.config } })
  await app.merchants.ensureMerchant(demoMerchant)
  return { app, receiver }
}

interface Reply {
  readonly result?: { readonly card: { readonly token: string }; readonly receipt?: { readonly _id: string } }
  readonly error?: { readonly code: number }
}

async function post(
  app: TestApp,
  method: string,
  params: object,
  headers: Partial<HttpRequest> = {},
): Promise<{ reply: Reply; requestId: string }> {
  const call = { jsonrpc: '2.0', id: 1, method, params }
  const { text, requestId } = await app.app.handle(request(call, { xAuth: server, segment: method, ...headers }))
  return { reply: JSON.parse(text) as Reply, requestId }
}

function spanOf({ spans }: TraceReceiver, name: string): ReceivedSpan {
  return spans.find((span) => span.name === name) ?? assert.fail(`${name}: ${spans.map((span) => span.name).join(', ')}`)
}

/** Trace ids may be a caller's, where the settings say so: 32 hexadecimal digits, and nothing else. */
function withoutIds(body: Buffer): string {
  return body.toString().replace(/"(?:traceId|spanId|parentSpanId)":"[0-9a-f]+"/g, '')
}
