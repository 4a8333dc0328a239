import assert from 'node:assert/strict'
import { test } from 'node:test'

import { listRequests } from '../../store/request-log.ts'
import { makeRequest } from '../../store/suite/requests.fixture.ts'

import { makeRequestLists } from './request-lists.ts'
import { replaceRead, storeOf } from '../../testing/store.fixture.ts'

/** A log without an end, read synchronously like the embedded store. */
function endlessLog() {
  const reads: { readonly at: number; readonly count: number }[] = []
  const first = listRequests({ bucket: 0, merchantId: '', after: null, from: 0, count: 0, cardId: null })
  const endlessLog = replaceRead(first, async (values) => {
    const [, , at, , , count] = values.map(Number)
    reads.push({ at: at!, count: count! })
    const newest = Math.min(at!, 1_000_000)
    return Array.from({ length: count! }, (_, n) => makeRequest(0, { at: newest - n - 1 }))
  })
  return { reads, lists: makeRequestLists(storeOf(endlessLog)) }
}

test('a filter that finds nothing reads a limited number of rows at a time, and lets other requests run in between', async () => {
  const { reads, lists } = endlessLog()
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
  assert.ok(reads.length > 1 && reads.every(({ count }) => count <= 501))
  assert.ok(turns >= reads.length - 1, `${String(turns)} turns of the event loop in ${String(reads.length)} reads`)
})

test('a list without a filter reads the store once, for its page and one more row', async () => {
  const { reads, lists } = endlessLog()
  const page = await lists.list({ bucket: 1, merchantId: 'a'.repeat(24) }, { after: null, count: 25 })
  assert.equal(page.requests.length, 25)
  assert.deepEqual(
    reads.map(({ count }) => count),
    [26],
  )
})
