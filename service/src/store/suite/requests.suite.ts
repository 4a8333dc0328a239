import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestRow, WholeRequestRow } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { makeRequest } from './requests.fixture.ts'
import { bucket, merchantId, T0 } from './samples.fixture.ts'

const stranger = 'f'.repeat(24)
const of = { bucket, merchantId }

export function requestsSuite(withStore: WithStore): void {
  test(
    'calls of the request log are listed by keyset, newest first, each once, by card and by time, of one merchant alone',
    withStore(async ({ store }) => {
      const cardId = 'c'.repeat(24)
      const rows = [1, 2, 3, 4, 5].map((number) =>
        makeRequest(number, { at: T0 + Math.floor(number / 2), cardId: number % 2 === 0 ? cardId : '' }),
      )
      await store.appendRequests(rows)
      await store.appendRequests([...rows.slice(0, 1), makeRequest(6, { merchantId: stranger })])
      const ask = { ...of, after: null, from: 0, count: 2, cardId: null }
      const seen: RequestRow[] = []
      for (let page = 0; page < 9; page++) {
        const last = seen.at(-1)
        const found = await store.listRequests({ ...ask, after: last === undefined ? null : { at: last.at, id: last.requestId } })
        if (found.length === 0) break
        seen.push(...found)
      }
      assert.deepEqual(seen, rows.toReversed().map(withoutDetail))
      assert.deepEqual(
        (await store.listRequests({ ...ask, count: 9, cardId })).map(({ requestId }) => requestId),
        [rows[3], rows[1]].map((row) => row?.requestId),
      )
      assert.equal((await store.listRequests({ ...ask, count: 9, from: T0 + 2 })).length, 2)
      assert.deepEqual(await store.listRequests({ ...ask, merchantId: 'e'.repeat(24), cardId }), [])
      const requestId = rows[2]?.requestId ?? ''
      assert.deepEqual(await store.findRequest({ ...of, requestId }), rows[2])
      assert.equal(await store.findRequest({ ...of, merchantId: stranger, requestId }), null)
    }),
  )

  test(
    'the request log is dropped by age and by number, slice by slice, and of one merchant alone',
    withStore(async ({ store }) => {
      await store.appendRequests(Array.from({ length: 1200 }, (_, at) => makeRequest(at)))
      await store.appendRequests([makeRequest(1, { merchantId: stranger })])
      assert.equal(await store.findRequestBehind({ ...of, keep: 1200 }), null)
      const upTo = await store.findRequestBehind({ ...of, keep: 200 })
      assert.ok(upTo !== null)
      assert.equal(await store.dropRequestsOf({ ...of, upTo }), 500)
      assert.equal(await store.dropRequestsOf({ ...of, upTo }), 500)
      assert.equal(await store.dropRequestsOf({ ...of, upTo }), 0)
      const left = () => store.listRequests({ ...of, after: null, from: 0, count: 1000, cardId: null })
      assert.deepEqual([(await left()).length, (await left()).at(-1)?.at], [200, T0 + 1000])
      const hour = 3_600_000
      await store.appendRequests([makeRequest(2000, { at: T0 + 3 * hour })])
      assert.equal(await store.dropRequests(T0 + 2 * hour), 201)
      assert.equal((await left()).length, 1)
    }),
  )
}

function withoutDetail({ bytes: _bytes, detail: _detail, ...row }: WholeRequestRow): RequestRow {
  return row
}
