import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { RequestsAsk, WholeRequestRow } from '../store/store.ts'
import { makeRequest } from '../store/suite/requests.fixture.ts'

import { makeRequestLists } from './lists.ts'

/** A log without an end that is read at once, as the embedded store reads. */
function endless() {
  const asked: RequestsAsk[] = []
  const listRequests = async (ask: RequestsAsk): Promise<WholeRequestRow[]> => {
    asked.push(ask)
    const newest = ask.after?.at ?? 1_000_000
    return Array.from({ length: ask.count }, (_, at) => makeRequest(0, { at: newest - at - 1 }))
  }
  return { asked, lists: makeRequestLists({ listRequests, findRequest: () => Promise.resolve(null) }) }
}

test('a filter that finds nothing looks at so many rows and no more, goes on behind them, and lets other calls in between', async () => {
  const { asked, lists } = endless()
  let turns = 0
  const turn = (): void => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  const page = await lists.list({ bucket: 1, merchantId: 'a'.repeat(24) }, { after: null, count: 25, method: 'cards.remove' })
  clearImmediate(next)
  assert.deepEqual(page.requests, [])
  assert.equal(page.next?.at, 1_000_000 - 10_000)
  assert.ok(asked.length > 1 && asked.every(({ count }) => count <= 501))
  assert.ok(turns >= asked.length - 1, `${String(turns)} turns in ${String(asked.length)} looks`)
})

test('a list without a filter asks the store once, for its page and one row', async () => {
  const { asked, lists } = endless()
  const page = await lists.list({ bucket: 1, merchantId: 'a'.repeat(24) }, { after: null, count: 25 })
  assert.equal(page.requests.length, 25)
  assert.deepEqual(
    asked.map(({ count }) => count),
    [26],
  )
})
