import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseRequestLogFilter, requestFilterPath, toListParams } from './request-filter.ts'

test('a filter in the address is read and written back unchanged, and unknown or empty members are dropped', () => {
  const filter = parseRequestLogFilter(new URLSearchParams('method=cards.verify&outcome=error&code=&page=2&from=2026-11-21T23:50'))
  assert.deepEqual(filter, { method: 'cards.verify', outcome: 'error', from: '2026-11-21T23:50' })
  const path = requestFilterPath(filter)
  assert.equal(path, 'requests?method=cards.verify&outcome=error&from=2026-11-21T23%3A50')
  assert.deepEqual(parseRequestLogFilter(new URLSearchParams(path.slice('requests'.length))), filter)
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
