import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { pipelineMerchantId, password, refusing, createTestPipeline, request, requestIdOf, replyJson } from '../testing/pipeline.fixture.ts'
import { JsonText } from './reader/json-text.ts'
import { testPan } from '../testing/pans.fixture.ts'
import type { HttpReply } from './http/request.ts'

const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const create = { id: 'q', method: 'cards.create', params: { card: { number: testPan, expire: '0399' }, save: true } }
const check = { id: 5, method: 'cards.check', params: { token } }

test('a reply has the call’s own id, the result and the version', async () => {
  const { answer } = createTestPipeline()
  const reply = await answer(request(check))
  assert.deepEqual(reply, {
    status: 200,
    retryAfterSeconds: null,
    requestId: requestIdOf(1),
    text: '{"jsonrpc":"2.0","id":5,"result":{"method":"cards.check"}}',
  })
})

test('an operation gets its params, the card number as bytes, and the caller, profile and language', async () => {
  const { answer, ran } = createTestPipeline()
  const xAuth = `${pipelineMerchantId}:${password}`
  await answer(request(create, { segment: 'cards.create', acceptLanguage: 'uz', xAuth }))
  const [first] = ran
  assert.deepEqual([first?.pan, JSON.stringify(first?.params)], [testPan, '{"card":{"number":"","expire":"0399"},"save":true}'])
  const { caller, profile, language, requestId, address } = first!.ctx
  assert.deepEqual(caller, { merchantId: pipelineMerchantId, bucket: 7, kind: 'server', limits: null })
  assert.deepEqual([profile, language, requestId, address], ['spec', 'uz', requestIdOf(1), '192.0.2.7'])
})

test('the card number of a call is wiped when the call is over, however it ended', async () => {
  const ends: [name: string, run: () => unknown][] = [
    ['result', () => ({})],
    ['refusal', () => Promise.reject(new RpcError('cardNotFound'))],
    ['fault', () => Promise.reject(new Error('unforeseen'))],
  ]
  for (const [name, run] of ends) {
    const { answer, ran } = createTestPipeline({}, run)
    await answer(request(create))
    assert.deepEqual(
      Array.from(ran[0]?.ctx.cardNumber ?? []),
      Array.from(testPan, () => 0),
      name,
    )
  }
})

test('every copy of a card number and every body is wiped, whatever the outcome', async (t) => {
  const bodies: Uint8Array[] = []
  const copy = t.mock.method(JsonText.prototype, 'copy')
  const variants = [
    createTestPipeline(),
    createTestPipeline({ limits: { check: refusing('addressLimit') } }),
    createTestPipeline({}, refusing('cardNotFound')),
  ]
  const texts = [create, [create, create], Array.from({ length: 21 }, () => create), []].map((body) => JSON.stringify(body))
  const twice = texts[0]!.replace('"card"', '"card":{"number":"1"},"card"')
  for (const text of [...texts, twice, `${texts[1]!}x`])
    for (const overrides of [
      {},
      { xAuth: null },
      { hasQuery: true },
      { segment: 'cards.check' },
      { hasIdempotencyKey: true },
      { refusal: 'draining' as const },
    ])
      for (const { answer } of variants) {
        const sent = request(text, overrides)
        bodies.push(sent.body)
        await answer(sent)
      }
  const copies = copy.mock.calls.map(({ result }) => result!)
  assert.ok(copies.length > 200 && bodies.length === 108)
  for (const bytes of [...copies, ...bodies]) assert.ok(bytes.every((byte) => byte === 0))
})

test('the calls of a batch run in order and their replies are in order; a failure affects no other call', async () => {
  const { answer, ran } = createTestPipeline({}, (method) => {
    if (method === 'cards.remove') throw new Error('unforeseen')
    return { method }
  })
  const calls = [{ ...check, id: 1 }, { id: 2, method: 'cards.remove', params: { token } }, 3, { ...create, id: 4 }, { id: 5, method: 'x' }]
  const replies = replyJson(await answer(request(calls))) as unknown as { id: unknown; error?: { code: number }; result?: object }[]
  assert.deepEqual(
    replies.map(({ id, error, result }) => [id, error?.code ?? result]),
    [
      [1, { method: 'cards.check' }],
      [2, -32400],
      [null, -32600],
      [4, { method: 'cards.create' }],
      [5, -32601],
    ],
  )
  assert.deepEqual(
    ran.map(({ method, pan }) => [method, pan]),
    [
      ['cards.check', null],
      ['cards.remove', null],
      ['cards.create', testPan],
    ],
  )
})

test('an unexpected error shows only the request id under which the log has its cause', async () => {
  const cause = new Error(`secret inside`)
  const { answer, failed } = createTestPipeline({}, () => Promise.reject(cause))
  const reply = await answer(request(check))
  assert.deepEqual(replyJson(reply).error, {
    code: -32400,
    message: 'System error.',
    data: requestIdOf(1),
    origin: 'cards.check',
    reason: 'internal_error',
  })
  assert.deepEqual(failed, [{ requestId: requestIdOf(1), method: 'cards.check', error: 'internalError', cause }])
  assert.equal(reply.text.includes('secret'), false)
})

test('throwing undefined, or returning something that is not JSON, is an internal error', async () => {
  for (const run of [throwNothing, () => undefined, () => ({ big: 1n })]) {
    const { answer, failed } = createTestPipeline({}, run)
    assert.equal(replyJson(await answer(request(check))).error?.reason, 'internal_error')
    assert.equal(failed.length, 1)
  }
})

test('a refusal with a cause is logged; one without is not', async () => {
  const { answer, failed } = createTestPipeline({}, (method) =>
    Promise.reject(new RpcError('systemError', method === 'cards.check' ? { cause: 'network said 96' } : {})),
  )
  assert.equal(replyJson(await answer(request(check))).error?.data, requestIdOf(1))
  assert.equal(replyJson(await answer(request(create))).error?.data, requestIdOf(2))
  assert.deepEqual(failed, [{ requestId: requestIdOf(1), method: 'cards.check', error: 'systemError', cause: 'network said 96' }])
})

test('a reply carries the request id that the log has, and that of a batch the ids of all its calls in order', async () => {
  const { answer, called } = createTestPipeline({}, (method) =>
    method === 'cards.check' ? {} : Promise.reject(new RpcError('cardNotFound')),
  )
  const replies = [
    await answer(request(check)),
    await answer(request(create)),
    await answer(request('no call')),
    await answer(request([check, create])),
  ]
  const logged = called.map(({ requestId }) => requestId)
  assert.deepEqual(
    replies.map(({ requestId }) => requestId),
    [...logged.slice(0, 3), logged.slice(3).join(', ')],
  )
  assert.equal(new Set(logged).size, 5)
})

test('an unavailable store is HTTP 503 for a single call, and an error in its place in a batch', async () => {
  class StoreFull extends Error {}
  const translate = (err: unknown): RpcError | null =>
    err instanceof StoreFull ? new RpcError('storeFull', { retryAfterMs: 2500, cause: err }) : null
  const { answer, failed } = createTestPipeline({ translateError: translate }, () => Promise.reject(new StoreFull()))
  const alone = await answer(request(check))
  assert.deepEqual([alone.status, alone.retryAfterSeconds], [503, 3])
  assert.deepEqual([replyJson(alone).id, replyJson(alone).error?.reason, replyJson(alone).error?.retry_after], [5, 'store_full', 2500])
  const batch = await answer(request([check]))
  assert.deepEqual([batch.status, batch.retryAfterSeconds], [200, null])
  assert.equal(failed[0]?.error, 'storeFull')
})

test('every retryable error says when to retry', async () => {
  for (const entry of ['overloaded', 'draining', 'storeFull', 'storeUnavailable', 'outcomeUnknown'] as const) {
    const { answer } = createTestPipeline({}, () => Promise.reject(new RpcError(entry)))
    const reply = await answer(request(check))
    assert.deepEqual([reply.status, reply.retryAfterSeconds, replyJson(reply).error?.retry_after], [503, 1, 1000], entry)
  }
})

test('an unknown method is echoed only when it is plainly a name', async () => {
  const { answer } = createTestPipeline()
  const cases: [method: string, data: string | undefined][] = [
    ['cards.steal', 'cards.steal'],
    ['toString', 'toString'],
    ['__proto__', '__proto__'],
    ['', undefined],
    [testPan, undefined],
    [testPan.slice(1), undefined],
    ['<script>', undefined],
    ['x'.repeat(65), undefined],
  ]
  for (const [method, data] of cases) {
    const reply = replyJson(await answer(request({ id: 1, method })))
    assert.deepEqual(
      reply.error,
      { code: -32601, message: 'Method not found.', ...(data === undefined ? {} : { data }), reason: 'method_not_found' },
      method,
    )
  }
})

test('messages are in the requested language', async () => {
  const { answer } = createTestPipeline()
  const messages = await Promise.all(
    ['ru-RU,ru;q=0.9', 'uz', 'de'].map(
      async (acceptLanguage) => replyJson(await answer(request(check, { xAuth: null, acceptLanguage }))).error?.message,
    ),
  )
  assert.deepEqual(messages, ['Доступ запрещён.', 'Ruxsat yoʻq.', 'Access denied.'])
})

test('the call observer gets names, ids and numbers of every call, and nothing that was sent', async () => {
  const { answer, called } = createTestPipeline({ now: tick() })
  const body = JSON.stringify([create, { ...check, params: { token: 5, note: 'secret' } }, { id: 'x', method: 'nope' }])
  await answer(request(body))
  const bytes = Buffer.byteLength(body)
  const of = { profile: 'subscribe', origin: null, ms: 1, sinceHeadMs: 1, bytes } as const
  const shown = { ...of, merchantId: pipelineMerchantId, callerKind: 'browser', hasCardNumber: false } as const
  assert.deepEqual(called, [
    { ...shown, requestId: requestIdOf(1), method: 'cards.create', error: null, hasCardNumber: true },
    { ...shown, requestId: requestIdOf(2), method: 'cards.check', error: 'memberInvalid' },
    { ...shown, requestId: requestIdOf(3), method: null, merchantId: null, callerKind: null, error: 'methodNotFound' },
  ])
})

test('a card number out of place is nowhere in the reply, wherever it was', async () => {
  const { answer } = createTestPipeline()
  const places = [
    { id: testPan, method: 'cards.check', params: { token } },
    { id: Number(testPan), method: 'cards.check', params: { token } },
    { id: 1, method: testPan, params: { token } },
    { id: 1, method: 'cards.check', params: { token, account: { a: testPan } } },
    { id: 1, method: 'cards.check', params: { token, [testPan]: { cvv: 1 } } },
    { id: 1, method: 'cards.check', params: { token: testPan }, [testPan]: 1 },
    { id: 1, jsonrpc: testPan, method: 'cards.check' },
  ]
  const replies: HttpReply[] = []
  for (const place of places)
    replies.push(await answer(request(place)), await answer(request([place])), await answer(request(place, { xAuth: null })))
  for (const { text } of replies) assert.equal(text.includes(testPan.slice(2, 12)), false, text)
  assert.deepEqual(
    replies.filter((_, i) => i % 3 === 0).map((reply) => replyJson(reply).error?.reason),
    [
      'pan_out_of_place',
      'pan_out_of_place',
      'method_not_found',
      'pan_out_of_place',
      'pan_out_of_place',
      'pan_out_of_place',
      'invalid_version',
    ],
  )
})

test('params are refused by the path of the first member that is missing or wrong', async () => {
  const { answer } = createTestPipeline()
  const cases: [params: unknown, reason: string, data: string | undefined][] = [
    [undefined, 'member_missing', 'card.number'],
    [{}, 'member_missing', 'card.number'],
    [[], 'params_not_object', undefined],
    [{ card: {} }, 'member_missing', 'card.number'],
    [{ card: { number: testPan } }, 'member_missing', 'card.expire'],
    [{ card: { number: null, expire: '0399' } }, 'member_invalid', 'card.number'],
    [{ card: { number: { a: 1 }, expire: '0399' } }, 'member_invalid', 'card.number'],
    [{ card: { number: testPan, expire: 399 } }, 'member_invalid', 'card.expire'],
    [{ card: [], expire: 1 }, 'member_invalid', 'card'],
    [{ card: create.params.card, save: 'yes' }, 'member_invalid', 'save'],
    [{ card: create.params.card, account: { 'a b': {} } }, 'member_invalid', 'account.*'],
    [{ card: create.params.card, account: [1] }, 'member_invalid', 'account'],
    [{ card: create.params.card, consent: { version: '1', sha256: 'x', locale: 'en', at: 1 } }, 'member_invalid', 'consent.sha256'],
    [{ card: create.params.card, consent: { version: '1' } }, 'member_missing', 'consent.sha256'],
  ]
  for (const [params, reason, data] of cases) {
    const { error } = replyJson(await answer(request({ id: 1, method: 'cards.create', params })))
    assert.deepEqual([error?.code, error?.reason, error?.data], [-32602, reason, data], JSON.stringify(params))
  }
})

function throwNothing(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  throw undefined
}

function tick(): () => number {
  let now = 0
  return () => now++
}

test('a call that changes something is refused while its caller has its share of what waits for the store, and a read is not', async () => {
  const asked: string[] = []
  const isWriteShareTaken = (owner: string): boolean => asked.push(owner) > 0
  const { answer, called } = createTestPipeline({ isWriteShareTaken })
  await answer(request({ id: 1, method: 'cards.create', params: { card: { number: '8600069195406311', expire: '0399' } } }))
  await answer(request({ id: 2, method: 'rpc.discover', params: {} }))
  assert.equal(called[0]?.error, 'overloaded')
  assert.notEqual(called[1]?.error, 'overloaded')
  assert.deepEqual(
    asked.map((owner) => owner.split(' ', 1)[0]),
    ['browser'],
  )
})

test('the share that is checked before authentication is the one that the writes of a call take', async () => {
  const asked: string[] = []
  const taken: string[] = []
  const { answer } = createTestPipeline({
    isWriteShareTaken: (owner) => asked.push(owner) === 0,
    callWrites: {
      run(_requestId, operation, { owner }) {
        taken.push(owner)
        return operation()
      },
    },
  })
  await answer(request(create))
  await answer(request(create, { xAuth: `${pipelineMerchantId}:${password}` }))
  assert.deepEqual(taken, [`browser ${pipelineMerchantId}`, `server ${pipelineMerchantId}`])
  assert.deepEqual(asked, taken)
})

test('a refusal is reported with the time since the head of its request was read, in a batch since its call began', async () => {
  const { answer, called } = createTestPipeline({ isWriteShed: () => true, now: () => 500 })
  const create = { id: 1, method: 'cards.create', params: { card: { number: '8600069195406311', expire: '0399' } } }
  await answer(request(create, { headReadAt: 470 }))
  await answer(request([create], { headReadAt: 470 }))
  assert.deepEqual(
    called.map(({ error, sinceHeadMs }) => [error, sinceHeadMs]),
    [
      ['overloaded', 30],
      ['overloaded', 0],
    ],
  )
})
