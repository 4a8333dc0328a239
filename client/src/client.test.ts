import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { errors } from '@tessera/contract/errors'

import { connectionError, createClient, fakeMerchant, error, result, token, withRequestId } from './fake-fetch.fixture.ts'
import { Tessera, TesseraError, type MethodName } from './index.ts'
import { methodTable, retryableReasons } from './wire.ts'

describe('a call of the client', () => {
  it('is sent to the path of its method with merchant id and password, and follows no redirect', async () => {
    const { tessera, sent } = createClient([result({ success: true })])
    assert.deepEqual(await tessera.cards.remove({ token }), { success: true })
    const [request] = sent
    assert.equal(request?.url, 'http://127.0.0.1:8080/api/cards.remove')
    assert.equal(request.method, 'cards.remove')
    assert.deepEqual(request.params, { token })
    assert.equal(request.headers['x-auth'], `${fakeMerchant.merchantId}:${fakeMerchant.password}`)
    assert.equal(request.headers['accept-language'], 'en')
    assert.equal(request.redirect, 'manual')
  })

  it('carries a generated or given idempotency key when it changes something, and none when it only reads', async () => {
    const { tessera, sent } = createClient([result({ success: true })])
    await tessera.cards.remove({ token })
    await tessera.cards.remove({ token })
    await tessera.cards.remove({ token }, { idempotencyKey: 'order-197-remove' })
    await tessera.outcome('cards.check', { token }, { idempotencyKey: 'not-sent-with-a-read' })
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/)
    assert.notEqual(keys[0], keys[1])
    assert.deepEqual(keys.slice(2), ['order-197-remove', undefined])
  })

  it('returns the idempotency key with the outcome, so that the same call can be repeated', async () => {
    const { tessera, sent } = createClient([error('declined', { code: -31630 })])
    const outcome = await tessera.outcome('receipts.pay', { id: '6745a1f0000a3f5c0d2e4b62', token })
    assert.equal(outcome.idempotencyKey, sent[0]?.headers['idempotency-key'])
    const read = await tessera.outcome('receipts.check', { id: '6745a1f0000a3f5c0d2e4b62' })
    assert.equal(read.idempotencyKey, null)
  })

  it('returns the request id of the service when the service responded', async () => {
    const [first, last] = ['6745a1f0000a3f5c0d2e4b61', '6745a1f0000a3f5c0d2e4b62']
    const overloaded = withRequestId(first, error('overloaded', { retry_after: 1 }))
    const { tessera } = createClient([
      overloaded,
      withRequestId(last, error('declined')),
      withRequestId(first, result({})),
      withRequestId('<b>', result({})),
    ])
    const refused: unknown = await tessera.receipts.pay({ id: 'x', token }).catch((reason: unknown) => reason)
    assert.ok(refused instanceof TesseraError)
    assert.deepEqual([refused.reason, refused.requestId], ['declined', last])
    assert.equal((await tessera.outcome('receipts.check', { id: 'x' })).requestId, first)
    assert.equal((await tessera.outcome('receipts.check', { id: 'x' })).requestId, null)
    const unreachable = createClient([connectionError('ECONNREFUSED')], { retriesMax: 0 }).tessera
    assert.equal((await unreachable.outcome('receipts.check', { id: 'x' })).requestId, null)
  })

  it('returns a result, or a problem with its reason', async () => {
    const { tessera } = createClient([error('account_field_missing', { code: -31610, data: 'order_id' }), result({ state: 4 })])
    const refused = await tessera.outcome('receipts.create', { amount: 500_000 })
    assert.deepEqual(refused.ok ? null : refused.problem, {
      reason: 'account_field_missing',
      code: -31610,
      message: 'No.',
      data: 'order_id',
      isRetryable: false,
    })
    const succeeded = await tessera.outcome('receipts.check', { id: 'x' })
    assert.deepEqual(succeeded.ok && succeeded.result, { state: 4 })
  })

  it('throws a TesseraError with the method, the reason and the idempotency key, but without the params', async () => {
    const { tessera } = createClient([error('card_deleted', { code: -31400, data: 'deleted' })])
    const err: unknown = await tessera.cards.remove({ token }, { idempotencyKey: 'k-1' }).catch((reason: unknown) => reason)
    assert.ok(err instanceof TesseraError)
    assert.equal(err.message, 'cards.remove: No. (card_deleted)')
    assert.equal(err.reason, 'card_deleted')
    assert.equal(err.problem.code, -31400)
    assert.equal(err.idempotencyKey, 'k-1')
    assert.ok(!inspect(err, { depth: null }).includes(token))
  })

  it('returns a reason that this version does not know as unlisted, and does not retry it', async () => {
    const { tessera, sent } = createClient([error('of_a_later_year', { code: -31999, retry_after: 5 })])
    const outcome = await tessera.outcome('cards.remove', { token })
    const problem = { reason: 'unlisted', word: 'of_a_later_year', code: -31999, message: 'No.', retryAfterMs: 5, isRetryable: false }
    assert.deepEqual(outcome.ok ? null : outcome.problem, problem)
    assert.equal(sent.length, 1)
  })

  it('has no methods of the browser, so that no card number reaches a server', async () => {
    const { tessera, sent } = createClient([result({})])
    const names = [
      ...Object.keys(tessera.cards).map((name) => `cards.${name}`),
      ...Object.keys(tessera.receipts).map((name) => `receipts.${name}`),
    ]
    assert.deepEqual(
      names.sort(),
      Object.keys(methodTable)
        .filter((name) => /^(cards|receipts)\./.test(name))
        .sort(),
    )
    for (const method of ['cards.create', 'cards.get_verify_code', 'cards.verify']) {
      await assert.rejects(tessera.outcome(method as MethodName, {}), /browser or app calls it/)
    }
    await assert.rejects(tessera.call('toString' as MethodName, {}), /there is no such method/)
    assert.equal(sent.length, 0)
  })
})

describe('the client does not reveal secrets', () => {
  it('contains no password when it is printed', () => {
    const tessera = new Tessera(fakeMerchant)
    for (const text of [inspect(tessera, { depth: null, showHidden: true }), inspect(tessera), JSON.stringify(tessera)]) {
      assert.ok(!text.includes(fakeMerchant.password))
    }
  })

  it('reports a failed connection by the error code alone', async () => {
    const { tessera } = createClient([connectionError('ECONNREFUSED')], { retriesMax: 0 })
    const outcome = await tessera.outcome('cards.check', { token })
    assert.equal(outcome.ok ? null : outcome.problem.message, 'No answer from http://127.0.0.1:8080: ECONNREFUSED.')
  })
})

describe('a mistake in the code throws a TypeError', () => {
  for (const [title, wrong] of Object.entries({
    'a url with the path of the API': { url: 'http://127.0.0.1:8080/api/' },
    'a url without a scheme': { url: '127.0.0.1:8080' },
    'a url with credentials': { url: 'http://user@127.0.0.1:8080' },
    'a malformed merchant id': { merchantId: 'demo' },
    'a password with a line break': { password: 'one\ntwo' },
    'a timeout of zero': { timeoutMs: 0 },
    'retries without a limit': { retriesMax: Infinity },
  })) {
    it(title, () => {
      assert.throws(
        () => new Tessera({ ...fakeMerchant, ...wrong }),
        (err: Error) => err instanceof TypeError && !/one\ntwo|user/.test(err.message),
      )
    })
  }

  it('a key that cannot be a header value, and params that are not JSON', async () => {
    const { tessera, sent } = createClient([result({})])
    await assert.rejects(tessera.outcome('cards.remove', { token }, { idempotencyKey: 'two words' }), TypeError)
    await assert.rejects(tessera.outcome('receipts.create', { amount: 1n as unknown as number }), TypeError)
    assert.equal(sent.length, 0)
  })
})

describe('the printed tables', () => {
  it('list as retryable exactly the errors whose text says "Try again later"', () => {
    const later = Object.values(errors).filter(({ text }) => text.en.includes('Try again later'))
    assert.deepEqual([...retryableReasons].sort(), later.map(({ reason }) => reason).sort())
  })
})
