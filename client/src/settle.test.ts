import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { broken, error, fakeTessera, result, token, type Turn } from './fake-fetch.fixture.ts'
import { pauseMs } from './retry.ts'

const paid = result({ success: true })

describe('a call is tried again', () => {
  for (const reason of ['overloaded', 'draining', 'store_unavailable', 'outcome_unknown', 'store_full']) {
    it(`after ${reason}, under the same key and with the same bytes`, async () => {
      const { tessera, sent } = fakeTessera([error(reason, { status: 503, retry_after: 1 }), error(reason, { retry_after: 1 }), paid])
      assert.deepEqual(await tessera.cards.remove({ token }), { success: true })
      assert.equal(sent.length, 3)
      assert.deepEqual(sent[1], sent[0])
      assert.deepEqual(sent[2], sent[0])
    })
  }

  it('after a connection that broke', async (t) => {
    const { tessera, sent } = fakeTessera([broken('ECONNRESET'), broken('UND_ERR_SOCKET'), paid])
    assert.deepEqual(await hurry(t, () => tessera.cards.remove({ token })), { success: true })
    assert.equal(sent.length, 3)
  })

  for (const status of [502, 503, 504]) {
    it(`after a page of a proxy with ${status}`, async (t) => {
      const page: Turn = () => new Response('<h1>Bad</h1>', { status, headers: { 'retry-after': '1' } })
      const { tessera, sent } = fakeTessera([page, paid])
      assert.deepEqual(await hurry(t, () => tessera.cards.remove({ token })), { success: true })
      assert.equal(sent.length, 2)
    })
  }
})

describe('a call is not tried again', () => {
  for (const reason of ['payment_unknown', 'receipt_in_progress', 'card_in_use', 'merchant_limit', 'network_timeout', 'internal_error']) {
    it(`after ${reason}, which is an outcome`, async () => {
      const { tessera, sent } = fakeTessera([error(reason, { retry_after: 1 }), paid])
      const outcome = await tessera.outcome('receipts.pay', { id: 'x', token })
      assert.equal(outcome.ok ? null : outcome.problem.reason, reason)
      assert.equal(sent.length, 1)
    })
  }

  for (const [title, turn] of Object.entries<Turn>({
    'a page of something else': () => new Response('<h1>It works!</h1>'),
    'a redirect': () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
    'a result for another call': () => Response.json({ jsonrpc: '2.0', id: 'other', result: {} }),
    'an error without a code': ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { message: 'no' } }),
    'JSON that is no object': () => Response.json(null),
    'more bytes than any reply has': () => new Response(new Uint8Array(9 * 1024 * 1024)),
  })) {
    it(`after ${title}, which is not this service`, async () => {
      const { tessera, sent } = fakeTessera([turn, paid])
      const outcome = await tessera.outcome('cards.remove', { token })
      assert.equal(outcome.ok ? null : outcome.problem.reason, 'not_tessera')
      assert.equal(sent.length, 1)
    })
  }

  it('more often than it was told to', async () => {
    const { tessera, sent } = fakeTessera([error('draining', { retry_after: 1 })], { retriesMax: 4 })
    const outcome = await tessera.outcome('cards.remove', { token })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'draining')
    assert.equal(sent.length, 5)
  })

  it('when the service asks for a longer pause than a call should hang', async () => {
    const { tessera, sent } = fakeTessera([error('store_full', { retry_after: 60_000 }), paid])
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

describe('the pause before another try', () => {
  const problem = { reason: 'draining', code: -32400, message: '', isRetryable: true } as const

  it('is never shorter than the service asks for, and at most a quarter longer', () => {
    assert.equal(pauseMs(0, { ...problem, retryAfterMs: 1000 }, 0), 1000)
    assert.equal(pauseMs(3, { ...problem, retryAfterMs: 1000 }, 1), 1250)
    assert.equal(pauseMs(0, { ...problem, retryAfterMs: 10_001 }, 0), null)
  })

  it('doubles around 200 ms by itself, spread by half to either side, and has an end', () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((tried) => pauseMs(tried, problem, 0.5)),
      [200, 400, 800, 1600],
    )
    assert.deepEqual([pauseMs(0, problem, 0), pauseMs(0, problem, 1)], [100, 300])
    assert.equal(pauseMs(30, problem, 0.5), 10_000)
  })
})

describe('a signal', () => {
  it('that has fallen already sends nothing', async () => {
    const { tessera, sent } = fakeTessera([paid])
    const outcome = await tessera.outcome('cards.remove', { token }, { signal: AbortSignal.abort() })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'cancelled')
    assert.equal(sent.length, 0)
  })

  it('ends the pause before another try, and that try is not made', async () => {
    const stop = new AbortController()
    const turn: Turn = (sent) => {
      setImmediate(() => stop.abort())
      return error('draining', { retry_after: 9000 })(sent)
    }
    const { tessera, sent } = fakeTessera([turn, paid])
    const startedAt = performance.now()
    const outcome = await tessera.outcome('cards.remove', { token }, { signal: stop.signal })
    assert.equal(outcome.ok ? null : outcome.problem.reason, 'cancelled')
    assert.equal(sent.length, 1)
    assert.ok(performance.now() - startedAt < 5000)
  })
})

/** Lets every pause pass at once. */
async function hurry<T>(t: TestContext, call: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const state = { isSettled: false }
  const settled = call().finally(() => (state.isSettled = true))
  while (!state.isSettled) {
    await new Promise(setImmediate)
    t.mock.timers.tick(500)
  }
  return settled
}
