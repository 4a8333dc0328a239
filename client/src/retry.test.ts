import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { connectionError, createClient, error, result, token, type FakeResponder } from './fake-fetch.fixture.ts'
import { retryDelayMs } from './retry.ts'

const paid = result({ success: true })

describe('a call is retried', () => {
  for (const reason of ['overloaded', 'draining', 'store_unavailable', 'outcome_unknown', 'store_full']) {
    it(`after ${reason}, with the same key and the same bytes`, async () => {
      const { tessera, sent } = createClient([error(reason, { status: 503, retry_after: 1 }), error(reason, { retry_after: 1 }), paid])
      assert.deepEqual(await tessera.cards.remove({ token }), { success: true })
      assert.equal(sent.length, 3)
      assert.deepEqual(sent[1], sent[0])
      assert.deepEqual(sent[2], sent[0])
    })
  }

  it('after a failed connection', async (t) => {
    const { tessera, sent } = createClient([connectionError('ECONNRESET'), connectionError('UND_ERR_SOCKET'), paid])
    assert.deepEqual(await skipDelays(t, () => tessera.cards.remove({ token })), { success: true })
    assert.equal(sent.length, 3)
  })

  for (const status of [502, 503, 504]) {
    it(`after a proxy's page with ${status}`, async (t) => {
      const page: FakeResponder = () => new Response('<h1>Bad</h1>', { status, headers: { 'retry-after': '1' } })
      const { tessera, sent } = createClient([page, paid])
      assert.deepEqual(await skipDelays(t, () => tessera.cards.remove({ token })), { success: true })
      assert.equal(sent.length, 2)
    })
  }
})

describe('a call is not retried', () => {
  for (const reason of ['payment_unknown', 'receipt_in_progress', 'card_in_use', 'merchant_limit', 'network_timeout', 'internal_error']) {
    it(`after ${reason}, which is final`, async () => {
      const { tessera, sent } = createClient([error(reason, { retry_after: 1 }), paid])
      const outcome = await tessera.outcome('receipts.pay', { id: 'x', token })
      assert.equal(outcome.ok ? null : outcome.problem.reason, reason)
      assert.equal(sent.length, 1)
    })
  }

  for (const [title, respond] of Object.entries<FakeResponder>({
    'a page of another server': () => new Response('<h1>It works!</h1>'),
    'a redirect': () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
    'a result for another call': () => Response.json({ jsonrpc: '2.0', id: 'other', result: {} }),
    'an error without a code': ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { message: 'no' } }),
    'JSON that is not an object': () => Response.json(null),
    'a body longer than any response of the service': () => new Response(new Uint8Array(9 * 1024 * 1024)),
  })) {
    it(`after ${title}, which is not from this service`, async () => {
      const { tessera, sent } = createClient([respond, paid])
      const outcome = await tessera.outcome('cards.remove', { token })
      assert.equal(outcome.ok ? null : outcome.problem.reason, 'not_tessera')
      assert.equal(sent.length, 1)
    })
  }

  it('more often than retriesMax', async () => {
    const { tessera, sent } = createClient([error('draining', { retry_after: 1 })], { retriesMax: 4 })
    const outcome = await tessera.outcome('cards.remove', { token })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'draining')
    assert.equal(sent.length, 5)
  })

  it('when the service asks for a longer delay than a call should take', async () => {
    const { tessera, sent } = createClient([error('store_full', { retry_after: 60_000 }), paid])
    const outcome = await tessera.outcome('cards.remove', { token })
    assert.deepEqual(outcome.ok ? null : outcome.problem, {
      reason: 'store_full',
      code: -32400,
      message: 'No.',
      retryAfterMs: 60_000,
      isRetryable: true,
    })
    assert.equal(sent.length, 1)
  })
})

describe('the delay before a retry', () => {
  const problem = { reason: 'draining', code: -32400, message: '', isRetryable: true } as const

  it('is never shorter than the service asks for, and at most a quarter longer', () => {
    assert.equal(retryDelayMs(0, { ...problem, retryAfterMs: 1000 }, 0), 1000)
    assert.equal(retryDelayMs(3, { ...problem, retryAfterMs: 1000 }, 1), 1250)
    assert.equal(retryDelayMs(0, { ...problem, retryAfterMs: 10_001 }, 0), null)
  })

  it('doubles from 200 ms, varies by half in each direction, and has an upper bound', () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((retries) => retryDelayMs(retries, problem, 0.5)),
      [200, 400, 800, 1600],
    )
    assert.deepEqual([retryDelayMs(0, problem, 0), retryDelayMs(0, problem, 1)], [100, 300])
    assert.equal(retryDelayMs(30, problem, 0.5), 10_000)
  })
})

describe('a signal', () => {
  it('that is already aborted prevents the request', async () => {
    const { tessera, sent } = createClient([paid])
    const outcome = await tessera.outcome('cards.remove', { token }, { signal: AbortSignal.abort() })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'cancelled')
    assert.equal(sent.length, 0)
  })

  it('ends the delay before a retry, and the retry is not sent', async () => {
    const stop = new AbortController()
    const abortAndRespond: FakeResponder = (request) => {
      setImmediate(() => stop.abort())
      return error('draining', { retry_after: 9000 })(request)
    }
    const { tessera, sent } = createClient([abortAndRespond, paid])
    const startedAt = performance.now()
    const outcome = await tessera.outcome('cards.remove', { token }, { signal: stop.signal })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'cancelled')
    assert.equal(sent.length, 1)
    assert.ok(performance.now() - startedAt < 5000)
  })
})

/** Runs the call with every delay skipped. */
async function skipDelays<T>(t: TestContext, call: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const state = { isDone: false }
  const outcome = call().finally(() => (state.isDone = true))
  while (!state.isDone) {
    await new Promise(setImmediate)
    t.mock.timers.tick(500)
  }
  return outcome
}
