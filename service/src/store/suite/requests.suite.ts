import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deleteMerchantRequests,
  deleteOldRequests,
  type DetailedRequestRow,
  findRequest,
  findRequestBehindNewest,
  insertRequests,
  listRequests,
  type RequestRow,
} from '../request-log.ts'
import { deleteInPages } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { makeRequest } from './requests.fixture.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

const stranger = 'f'.repeat(24)
const of = { bucket, merchantId: sampleMerchantId }
const ofServer = { ...of, caller: 'server' } as const
/** Whatever a list of values might take for its own: quotes, backslashes, braces, commas, a line end, NULL. */
const hardToQuote = JSON.stringify({ data: `"\\", {NULL},'$1'\n`, params: 'ўзбек' })

export function requestsSuite(withStore: WithStore): void {
  test(
    'the request log is listed by keyset, newest first, each call once, by card and by time, for one merchant alone',
    withStore(async ({ store }) => {
      const cardId = 'c'.repeat(24)
      const rows = [1, 2, 3, 4, 5].map((number) =>
        makeRequest(number, { at: T0 + Math.floor(number / 2), cardId: number % 2 === 0 ? cardId : '', detail: hardToQuote }),
      )
      await store.write(insertRequests, { requests: rows })
      await store.write(insertRequests, { requests: [...rows.slice(0, 1), makeRequest(6, { merchantId: stranger })] })
      await store.write(insertRequests, { requests: [] })
      const query = { ...of, after: null, from: 0, count: 2, cardId: null }
      const seen: RequestRow[] = []
      for (let page = 0; page < 9; page++) {
        const last = seen.at(-1)
        const found = await store.read(listRequests({ ...query, after: last === undefined ? null : { at: last.at, id: last.requestId } }))
        if (found.length === 0) break
        seen.push(...found)
      }
      assert.deepEqual(seen, rows.toReversed().map(withoutDetail))
      assert.deepEqual(
        (await store.read(listRequests({ ...query, count: 9, cardId }))).map(({ requestId }) => requestId),
        [rows[3], rows[1]].map((row) => row?.requestId),
      )
      assert.equal((await store.read(listRequests({ ...query, count: 9, from: T0 + 2 }))).length, 2)
      assert.deepEqual(await store.read(listRequests({ ...query, merchantId: 'e'.repeat(24), cardId })), [])
      const requestId = rows[2]?.requestId ?? ''
      assert.deepEqual(await store.read(findRequest({ ...of, requestId })), rows[2])
      assert.equal(await store.read(findRequest({ ...of, merchantId: stranger, requestId })), null)
    }),
  )

  test(
    'the request log is deleted by age and by number, page by page, and for one merchant alone',
    withStore(async ({ store }) => {
      await store.write(insertRequests, { requests: Array.from({ length: 1200 }, (_, at) => makeRequest(at)) })
      await store.write(insertRequests, { requests: [makeRequest(1, { merchantId: stranger })] })
      assert.equal(await store.read(findRequestBehindNewest({ ...ofServer, keep: 1200 })), null)
      const upTo = await store.read(findRequestBehindNewest({ ...ofServer, keep: 200 }))
      assert.ok(upTo !== null)
      assert.equal(await store.write(deleteMerchantRequests, { ...ofServer, upTo }), 500)
      assert.equal(await store.write(deleteMerchantRequests, { ...ofServer, upTo }), 500)
      assert.equal(await store.write(deleteMerchantRequests, { ...ofServer, upTo }), 0)
      const left = () => store.read(listRequests({ ...of, after: null, from: 0, count: 1000, cardId: null }))
      assert.deepEqual([(await left()).length, (await left()).at(-1)?.at], [200, T0 + 1000])
      const hour = 3_600_000
      await store.write(insertRequests, { requests: [makeRequest(2000, { at: T0 + 3 * hour })] })
      assert.equal(await deleteInPages(store, deleteOldRequests, T0 + 2 * hour), 201)
      assert.equal((await left()).length, 1)
    }),
  )

  test(
    'records of one kind of caller displace none of another',
    withStore(async ({ store }) => {
      const servers = [1, 2, 3].map((number) => makeRequest(number))
      const browsers = Array.from({ length: 700 }, (_, at) => makeRequest(10 + at, { caller: 'browser' }))
      await store.write(insertRequests, { requests: [...servers, ...browsers] })
      const ofBrowser = { ...of, caller: 'browser' } as const
      assert.equal(await store.read(findRequestBehindNewest({ ...ofServer, keep: 100 })), null)
      const upTo = await store.read(findRequestBehindNewest({ ...ofBrowser, keep: 100 }))
      assert.ok(upTo !== null)
      assert.deepEqual(
        [
          await store.write(deleteMerchantRequests, { ...ofBrowser, upTo }),
          await store.write(deleteMerchantRequests, { ...ofBrowser, upTo }),
        ],
        [500, 100],
      )
      const left = await store.read(listRequests({ ...of, after: null, from: 0, count: 1000, cardId: null }))
      assert.deepEqual([left.filter(({ caller }) => caller === 'server').length, left.length], [3, 103])
    }),
  )
}

function withoutDetail({ bytes: _bytes, detail: _detail, ...row }: DetailedRequestRow): RequestRow {
  return row
}
