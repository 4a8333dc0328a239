import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { errors } from '@tessera/contract/errors'

import { asRequest, broken, demo, error, fakeTessera, result, token } from './fake-fetch.fixture.ts'
import { Tessera, TesseraError, type MethodName } from './index.ts'
import { retryableReasons } from './wire.ts'

describe('a call of the library', () => {
  it('goes to the path of its method with id and password, and follows no redirect', async () => {
    const { tessera, sent } = fakeTessera([result({ success: true })])
    assert.deepEqual(await tessera.cards.remove({ token }), { success: true })
    const [request] = sent
    assert.equal(request?.url, 'http://127.0.0.1:8080/api/cards.remove')
    assert.equal(request.method, 'cards.remove')
    assert.deepEqual(request.params, { token })
    assert.equal(request.headers['x-auth'], `${demo.merchantId}:${demo.password}`)
    assert.equal(request.headers['accept-language'], 'en')
    assert.equal(request.redirect, 'manual')
  })

  it('carries a fresh idempotency key when it changes something, the given one when there is one, and none when it only asks', async () => {
    const { tessera, sent } = fakeTessera([result({ success: true })])
    await tessera.cards.remove({ token })
    await tessera.cards.remove({ token })
    await tessera.cards.remove({ token }, { idempotencyKey: 'order-197-remove' })
    await tessera.outcome('cards.check', { token }, { idempotencyKey: 'not sent with a question'.replaceAll(' ', '-') })
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/)
    assert.notEqual(keys[0], keys[1])
    assert.deepEqual(keys.slice(2), ['order-197-remove', undefined])
  })

  it('gives the key back with the outcome, so that the same call can be asked again', async () => {
    const { tessera, sent } = fakeTessera([error('declined', { code: -31630 })])
    const outcome = await tessera.outcome('receipts.pay', { id: '6745a1f0000a3f5c0d2e4b62', token })
    assert.equal(outcome.idempotencyKey, sent[0]?.headers['idempotency-key'])
    const question = await tessera.outcome('receipts.check', { id: '6745a1f0000a3f5c0d2e4b62' })
    assert.equal(question.idempotencyKey, null)
  })

  it('names the request as the service does, where it was the service that answered', async () => {
    const [first, last] = ['6745a1f0000a3f5c0d2e4b61', '6745a1f0000a3f5c0d2e4b62']
    const overloaded = asRequest(first, error('overloaded', { retry_after: 1 }))
    const { tessera } = fakeTessera([
      overloaded,
      asRequest(last, error('declined')),
      asRequest(first, result({})),
      asRequest('<b>', result({})),
    ])
    const refused: unknown = await tessera.receipts.pay({ id: 'x', token }).catch((reason: unknown) => reason)
    assert.ok(refused instanceof TesseraError)
    assert.deepEqual([refused.reason, refused.requestId], ['declined', last])
    assert.equal((await tessera.outcome('receipts.check', { id: 'x' })).requestId, first)
    assert.equal((await tessera.outcome('receipts.check', { id: 'x' })).requestId, null)
    const nobody = fakeTessera([broken('ECONNREFUSED')], { retriesMax: 0 }).tessera
    assert.equal((await nobody.outcome('receipts.check', { id: 'x' })).requestId, null)
  })

  it('is a result or a problem told apart by its reason', async () => {
    const { tessera } = fakeTessera([error('account_field_missing', { code: -31610, data: 'order_id' }), result({ state: 4 })])
    const refused = await tessera.outcome('receipts.create', { amount: 500_000 })
    assert.deepEqual(refused.ok ? null : refused.problem, {
      reason: 'account_field_missing',
      code: -31610,
      message: 'No.',
      data: 'order_id',
      isRetryable: false,
    })
    const answered = await tessera.outcome('receipts.check', { id: 'x' })
    assert.deepEqual(answered.ok && answered.result, { state: 4 })
  })

  it('throws a TesseraError with the method, the reason and the key, and nothing of the params', async () => {
    const { tessera } = fakeTessera([error('card_deleted', { code: -31400, data: 'deleted' })])
    const err: unknown = await tessera.cards.remove({ token }, { idempotencyKey: 'k-1' }).catch((reason: unknown) => reason)
    assert.ok(err instanceof TesseraError)
    assert.equal(err.message, 'cards.remove: No. (card_deleted)')
    assert.equal(err.reason, 'card_deleted')
    assert.equal(err.problem.code, -31400)
    assert.equal(err.idempotencyKey, 'k-1')
    assert.ok(!inspect(err, { depth: null }).includes(token))
  })

  it('tells a reason that this version does not know as unlisted, and does not repeat it', async () => {
    const { tessera, sent } = fakeTessera([error('of_a_later_year', { code: -31999, retry_after: 5 })])
    const outcome = await tessera.outcome('cards.remove', { token })
    const problem = { reason: 'unlisted', word: 'of_a_later_year', code: -31999, message: 'No.', retryAfterMs: 5, isRetryable: false }
    assert.deepEqual(outcome.ok ? null : outcome.problem, problem)
    assert.equal(sent.length, 1)
  })

  it('offers no method of the browser, so that no card number comes near a server', async () => {
    const { tessera, sent } = fakeTessera([result({})])
    assert.deepEqual(Object.keys(tessera.cards), ['check', 'remove'])
    assert.equal(Object.keys(tessera.receipts).length, 9)
    for (const method of ['cards.create', 'cards.get_verify_code', 'cards.verify']) {
      await assert.rejects(tessera.outcome(method as MethodName, {}), /browser or app calls it/)
    }
    await assert.rejects(tessera.call('toString' as MethodName, {}), /there is no such method/)
    assert.equal(sent.length, 0)
  })
})

describe('the library keeps secrets', () => {
  it('shows no password when it is printed', () => {
    const tessera = new Tessera(demo)
    for (const text of [inspect(tessera, { depth: null, showHidden: true }), inspect(tessera), JSON.stringify(tessera)]) {
      assert.ok(!text.includes(demo.password))
    }
  })

  it('tells of a broken connection by the word of the system alone', async () => {
    const { tessera } = fakeTessera([broken('ECONNREFUSED')], { retriesMax: 0 })
    const outcome = await tessera.outcome('cards.check', { token })
    assert.equal(outcome.ok ? null : outcome.problem.message, 'No answer from http://127.0.0.1:8080: ECONNREFUSED.')
  })
})

describe('what a developer has to mend throws a TypeError', () => {
  for (const [title, wrong] of Object.entries({
    'a url with the path of the API': { url: 'http://127.0.0.1:8080/api/' },
    'a url without a scheme': { url: '127.0.0.1:8080' },
    'a url with credentials': { url: 'http://user@127.0.0.1:8080' },
    'a merchant id that is none': { merchantId: 'demo' },
    'a password with a line break': { password: 'one\ntwo' },
    'a time of no length': { timeoutMs: 0 },
    'tries without end': { retriesMax: Infinity },
  })) {
    it(title, () => {
      assert.throws(
        () => new Tessera({ ...demo, ...wrong }),
        (err: Error) => err instanceof TypeError && !/one\ntwo|user/.test(err.message),
      )
    })
  }

  it('a key that no header can carry, and params that are no JSON', async () => {
    const { tessera, sent } = fakeTessera([result({})])
    await assert.rejects(tessera.outcome('cards.remove', { token }, { idempotencyKey: 'two words' }), TypeError)
    await assert.rejects(tessera.outcome('receipts.create', { amount: 1n as unknown as number }), TypeError)
    assert.equal(sent.length, 0)
  })
})

describe('the printed tables', () => {
  it('call retryable what was refused with the text "try again later", and nothing else', () => {
    const later = Object.values(errors).filter(({ text }) => text.en.includes('Try again later'))
    assert.deepEqual([...retryableReasons].sort(), later.map(({ reason }) => reason).sort())
  })
})
