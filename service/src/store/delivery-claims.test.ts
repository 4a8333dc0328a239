import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findEndpointPageEnd, findNextWaiting, listDueEndpoints, listRecentlyDue } from './delivery-claims.ts'
import { listDueAfter } from './postponed-deliveries.ts'

const none = { bucket: -1, endpointId: '' }
const reads = {
  findEndpointPageEnd: findEndpointPageEnd({ after: none, count: 1 }),
  listDueEndpoints: listDueEndpoints({ after: none, upTo: none, now: 0 }),
  listRecentlyDue: listRecentlyDue({ from: 0, to: 1 }),
  findNextWaiting: findNextWaiting(none),
  listDueAfter: listDueAfter({ after: { dueAt: 0, eventId: '', endpointId: '' }, count: 1 }),
}

for (const [name, { statement }] of Object.entries(reads)) {
  test(`${name} goes over all buckets in a form that a distributed database splits by bucket: no limit, derived table or CTE inside`, () => {
    assert.deepEqual(findUnsplittable(statement.text), [])
  })
}

test('a statement with a correlated limit, a derived table and a recursive CTE, is found', () => {
  const former = `with recursive e as (select 1) select e.id from (select id from e) e
    where (select d.due_at from deliveries d where d.endpoint_id = e.id order by d.due_at limit 1) <= $1`
  assert.deepEqual(findUnsplittable(former), ['a CTE', 'a derived table', 'a limit in a subquery', 'a subquery of another bucket'])
})

/** What a distributed database would have to merge inside a statement, or fetch from another node. */
function findUnsplittable(text: string): string[] {
  const found = /\bwith\b/i.test(text) ? ['a CTE'] : []
  if (/\bfrom \( ?select\b/i.test(text)) found.push('a derived table')
  for (const [, inner = ''] of text.matchAll(/\(\s*(select[^()]*)/gi)) {
    if (/\blimit\b/i.test(inner)) found.push('a limit in a subquery')
    if (/\b[de]\.endpoint_id = [de]\.\w+/.test(inner) && !/\bd\.bucket = e\.bucket\b/.test(inner))
      found.push('a subquery of another bucket')
  }
  return found
}
