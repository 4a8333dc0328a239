import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hiddenRequestFilter, readRequestLogFilter, requestFilterPath, toListParams } from './request-filter.ts'

test('a filter in the address is read and written back unchanged, and unknown or empty members are dropped', () => {
  const query = new URLSearchParams('method=cards.verify&outcome=error&code=&page=2&from=2026-11-21T23:50')
  const filter = readRequestLogFilter({ query, hidden: {} })
  assert.deepEqual(filter, { method: 'cards.verify', outcome: 'error', from: '2026-11-21T23:50' })
  const path = requestFilterPath(filter)
  assert.equal(path, 'requests?method=cards.verify&outcome=error&from=2026-11-21T23%3A50')
  assert.deepEqual(readRequestLogFilter({ query: new URLSearchParams(path.slice('requests'.length)), hidden: {} }), filter)
  assert.equal(requestFilterPath({}), 'requests')
})

test('of a whole token only the card id is sent, and times are Tashkent time', () => {
  const token = `65f0c0ffee0000000000cafe_${'x'.repeat(40)}`
  assert.deepEqual(
    toListParams({ card: ` ${token} `, request: ' abc ', code: '-31103', from: '2026-11-21T05:00', to: '1960-01-01T00:00' }),
    {
      cardId: '65f0c0ffee0000000000cafe',
      requestId: 'abc',
      code: -31103,
      from: Date.UTC(2026, 10, 21),
      to: 0,
    },
  )
})

test('an outcome that does not exist and a time that is none are not sent', () => {
  assert.deepEqual(toListParams({ outcome: 'maybe', from: 'yesterday' }), {})
})

test('orders and customers stay out of the address, and come back from the history entry', () => {
  const filter = { reason: 'card_limit', address: 'public', minMs: '100', maxMs: '2000', order: '10711', customer: '998901234567' } as const
  const path = requestFilterPath(filter)
  assert.equal(path, 'requests?reason=card_limit&address=public&minMs=100&maxMs=2000')
  const query = new URLSearchParams(path.split('?')[1])
  assert.deepEqual(readRequestLogFilter({ query, hidden: hiddenRequestFilter(filter) }), filter)
  assert.deepEqual(toListParams({ ...filter, order: ` ${'7'.repeat(70)} `, address: 'moon' }), {
    reason: 'card_limit',
    order: '7'.repeat(64),
    customer: '998901234567',
    minMs: 100,
    maxMs: 2000,
  })
})
