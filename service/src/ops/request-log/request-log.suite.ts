import assert from 'node:assert/strict'
import { test } from 'node:test'

import { backgroundWrites } from '../../store/background-writes.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import { deleteSegmentsBeyond, deleteSegmentsOf, findSegmentBeyond, HOUR_MS } from '../../store/request-segments.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { withRequestLog } from '../../store/suite/request-log.fixture.ts'
import { bucket, sampleMerchantId, T0 } from '../../store/suite/samples.fixture.ts'
import { deletedRowsMax, type TimeCursor } from '../../store/transaction.ts'

import type { RequestFilter } from './request-filter.ts'
import { makeRequestLists, type RequestLists, type RequestListQuery } from './request-lists.ts'
import { moveFormerRequests, type FormerRequestMove } from './move-former.ts'
import { makeRequest, shownMember } from './request-row.fixture.ts'
import { encodeRow, type RequestRow } from './request-row.ts'
import { toSegments } from './waiting-segment.ts'

const stranger = 'f'.repeat(24)
const of = { bucket, merchantId: sampleMerchantId }
const never = new AbortController().signal
/** Whatever a list of values might take for its own: quotes, backslashes, braces, commas, a line end, NULL. */
const hardToQuote = `"\\", {NULL},'$1'\n%_ўзбек`

export function requestLogSuite(withStore: WithStore): void {
  test(
    'the request log is listed by keyset, newest first, each call once whatever segment it is in, for one merchant alone',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        // Segments that overlap, as those of kinds of callers and of several processes do, and calls at one time.
        const rows = Array.from({ length: 300 }, (_, n) =>
          makeRequest(n, {
            at: T0 + Math.floor(n / 3),
            caller: n % 4 === 0 ? 'browser' : 'server',
            detail: detailOf(shownMember('customer', hardToQuote)),
          }),
        )
        for (const part of [0, 1, 2])
          await append(
            requestLog,
            rows.filter((_, n) => n % 3 === part),
          )
        // A batch whose outcome was unknown, with one more call: its calls are in two segments.
        await append(requestLog, [...rows.slice(0, 9), makeRequest(300, { at: T0 + 100 })])
        await append(requestLog, [makeRequest(7, { merchantId: stranger })])
        const lists = makeRequestLists(requestLog)
        const seen = await listAll(lists, { after: null, count: 7 })
        const expected = [...rows, makeRequest(300, { at: T0 + 100 })].sort((a, b) => b.at - a.at || (a.requestId < b.requestId ? 1 : -1))
        assert.deepEqual(
          seen.map(({ requestId }) => requestId),
          expected.map(({ requestId }) => requestId),
        )
        assert.deepEqual(seen.at(-1), expected.at(-1))
        assert.deepEqual((await lists.list({ ...of, merchantId: stranger }, { after: null, count: 9 })).requests.length, 1)
        const { requests } = await lists.list(of, { after: null, count: 9, from: T0 + 50, to: T0 + 52 })
        assert.deepEqual([...new Set(requests.map(({ at }) => at - T0))], [51, 50])
        assert.equal(requests.length, 6)
        const { requestId } = rows[200] ?? assert.fail()
        assert.deepEqual(await lists.get(of, requestId), rows[200])
        await assert.rejects(lists.get({ ...of, merchantId: stranger }, requestId), { entry: 'requestNotFound' })
        await assert.rejects(lists.get(of, 'a'.repeat(24)), { entry: 'requestNotFound' })
      }),
    ),
  )

  test(
    'the oldest segment is listed too where the last look at the log finds none, as after exactly 64 or 320 segments',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        const lists = makeRequestLists(requestLog)
        let written = 0
        for (const segments of [64, 320]) {
          const rows = Array.from({ length: segments - written }, (_, n) => [
            makeRequest(2 * (written + n)),
            makeRequest(2 * (written + n) + 1),
          ])
          await requestLog.append(rows.flatMap((ofSegment) => toSegments(ofSegment.map(encodeRow))))
          written = segments
          const { requests, next } = await lists.list(of, { after: null, count: 2 * segments })
          assert.deepEqual([requests.length, requests.at(-1)?.at, next], [2 * segments, T0, null])
          const seen = await listAll(lists, { after: null, count: 2 * segments - 1 })
          assert.deepEqual([seen.length, seen.at(-1)?.at], [2 * segments, T0])
          const oldest = await lists.list(of, { after: null, count: 1, requestId: makeRequest(0).requestId })
          assert.equal(oldest.requests[0]?.at, T0)
        }
      }),
    ),
  )

  test(
    'calls are found by every filter, also by several, and gaps match each',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        const [cardId, receiptId, other] = ['c'.repeat(24), 'd'.repeat(24), '1'.repeat(24)]
        const rows: RequestRow[] = Array.from({ length: 250 }, (_, n) => makeRequest(n, { at: T0 + n * 40_000 }))
        const special: [RequestFilter, Partial<RequestRow>][] = [
          [
            { method: 'cards.verify', outcome: 'error', code: -31103, reason: 'wrong_code' },
            { method: 'cards.verify', code: -31103, reason: 'wrong_code' },
          ],
          [
            { cardId, method: 'cards.check' },
            { cardId, method: 'cards.check' },
          ],
          [
            { receiptId, outcome: 'ok' },
            { method: 'receipts.pay', detail: detailOf(shownMember('id', receiptId)) },
          ],
          [
            { receiptId: other },
            { method: 'receipts.create', detail: { ...detailOf(), result: { list: [shownMember('receipt._id', other)], more: 0 } } },
          ],
          [{ customer: 'client_7' }, { detail: detailOf(shownMember('customer', 'client_7')) }],
          [{ order: '19750' }, { detail: detailOf(shownMember('account.order_id', 19_750)) }],
          [{ addressClass: 'loopback' }, { addressClass: 'loopback' }],
          [{ minMs: 900, maxMs: 1100 }, { micros: 1_000_000 }],
        ]
        special.forEach(([, over], n) => (rows[10 + n * 25] = { ...(rows[10 + n * 25] ?? assert.fail()), ...over }))
        // In it are the texts, elsewhere than where the filter wants them.
        rows[5] = makeRequest(5, {
          detail: detailOf(shownMember('account.client', 'client_7x'), shownMember('payer.id', cardId), shownMember('token', receiptId)),
        })
        await append(requestLog, rows)
        const lists = makeRequestLists(requestLog)
        for (const [n, [filter]] of special.entries()) {
          const { requests, next } = await lists.list(of, { after: null, count: 2, ...filter })
          assert.deepEqual(
            [requests.map(({ requestId }) => requestId), next],
            [[rows[10 + n * 25]?.requestId], null],
            JSON.stringify(filter),
          )
        }
        assert.equal((await listAll(lists, { after: null, count: 50, outcome: 'ok' })).length, 249)
        const gap = makeRequest(900, { at: T0 + 90_000_000, lost: 7, lostFrom: T0, detail: detailOf() })
        await append(requestLog, [gap])
        for (const [filter] of special) {
          const { requests } = await lists.list(of, { after: null, count: 2, ...filter })
          assert.deepEqual([requests.length, requests[0]?.lost], [2, 7], JSON.stringify(filter))
        }
      }),
    ),
  )

  test(
    'a call is found by its id, also one of before ids had a time',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        const lists = makeRequestLists(requestLog)
        const withoutTime = makeRequest(1, { requestId: 'feedfeed00000001feedfeed', at: T0 })
        const late = makeRequest(2, { at: T0 + 60_000 + HOUR_MS, requestId: makeRequest(2, { at: T0 + HOUR_MS }).requestId })
        await append(requestLog, [withoutTime, late, makeRequest(3, { at: T0 + 2 * HOUR_MS })])
        for (const row of [withoutTime, late]) {
          assert.deepEqual(await lists.get(of, row.requestId), row)
          assert.deepEqual((await lists.list(of, { after: null, count: 2, requestId: row.requestId })).requests, [row])
          assert.deepEqual((await lists.list(of, { after: null, count: 2, requestId: row.requestId, method: 'x' })).requests, [])
        }
      }),
    ),
  )

  test(
    'calls are deleted by age and by number, by whole segments, for one kind of caller and one merchant alone',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        const lists = makeRequestLists(requestLog)
        const count = async () => (await listAll(lists, { after: null, count: 100 })).length
        await append(requestLog, [makeRequest(1, { caller: 'browser' }), makeRequest(1, { merchantId: stranger })])
        for (let n = 0; n < 12; n++)
          await append(
            requestLog,
            Array.from({ length: 100 }, (_, at) => makeRequest(n * 100 + at + 10)),
          )
        const ofServer = { ...of, caller: 'server' } as const
        assert.equal(await requestLog.read(findSegmentBeyond({ ...ofServer, keep: 1200 })), null)
        const upTo = (await requestLog.read(findSegmentBeyond({ ...ofServer, keep: 250 }))) ?? assert.fail()
        assert.equal(await requestLog.deletePage(deleteSegmentsBeyond(ofServer, upTo)), 900)
        assert.equal(await requestLog.deletePage(deleteSegmentsBeyond(ofServer, upTo)), 0)
        assert.equal(await count(), 301)
        const day = 24 * HOUR_MS
        await append(requestLog, [makeRequest(2000, { at: T0 + 3 * day })])
        assert.ok((await requestLog.deleteBefore(T0 + 2 * day, never)) > 0)
        assert.equal(await requestLog.deleteBefore(T0 + 2 * day, never), 0)
        assert.equal(await count(), 1)
        await append(requestLog, [makeRequest(1, { merchantId: stranger, at: T0 + 3 * day })])
        assert.equal(await requestLog.deletePage(deleteSegmentsOf(of)), 1)
        assert.equal(await requestLog.deletePage(deleteSegmentsOf(of)), 0)
        assert.equal((await lists.list({ ...of, merchantId: stranger }, { after: null, count: 9 })).requests.length, 1)
      }),
    ),
  )

  test(
    'the size of the database includes the request log',
    withStore(({ store }) =>
      withRequestLog(store, async (requestLog) => {
        const before = await store.sizeBytes()
        const rows = Array.from({ length: 1000 }, (_, n) => makeRequest(n, { detail: detailOf(shownMember('customer', 'x'.repeat(900))) }))
        await append(requestLog, rows)
        assert.ok((await store.sizeBytes()) - before > 900_000)
      }),
    ),
  )

  test(
    'calls that an older version recorded are moved into the log, a hundred at a time and behind calls, and found there',
    withStore(({ store, raw }) =>
      withRequestLog(store, async (requestLog) => {
        const detail = JSON.stringify(detailOf(shownMember('token', 'c'.repeat(24))))
        await raw(
          insertFormer(620, (n) => ({
            merchantId: n % 2 === 0 ? sampleMerchantId : stranger,
            lost: n === 4 ? 3 : 0,
            detail: n === 4 ? '' : detail,
          })),
        )
        const deleted: number[] = []
        const write: typeof store.write = async (transaction, input) => {
          const result = await store.write(transaction, input)
          assert.ok(backgroundWrites.has(transaction.name), transaction.name)
          deleted.push(Number(result))
          return result
        }
        const move = { store: { ...store, write }, requestLog, log: { warn: () => assert.fail('every row can be read') } }
        assert.equal(await moveFormerRequests(move, never), 620)
        assert.equal(await moveFormerRequests(move, never), 0)
        assert.ok(Math.max(...deleted) <= deletedRowsMax, deleted.join(' '))
        const lists = makeRequestLists(requestLog)
        const rows = await listAll(lists, { after: null, count: 90 })
        assert.deepEqual([rows.length, rows.filter(({ lost }) => lost === 3).length], [310, 1])
        assert.deepEqual((await lists.get(of, 'feedfeed00000002feedfeed')).detail, JSON.parse(detail))
      }),
    ),
  )

  test(
    'calls of an older version that cannot be read are deleted, and keep none of the others from being moved',
    withStore(({ store, raw }) =>
      withRequestLog(store, async (requestLog) => {
        const detail = JSON.stringify(detailOf())
        const broken = [{ caller: 'nobody' }, { detail: '{' }, { detail: '{}' }, { method: 'with "quotes"' }]
        await raw(insertFormer(150, (n) => ({ detail, ...broken[n] })))
        const lines: [string, { readonly count: number; readonly err: unknown }][] = []
        const log: FormerRequestMove['log'] = { warn: (event, fields) => void lines.push([event, fields]) }
        assert.equal(await moveFormerRequests({ store, requestLog, log }, never), 146)
        assert.deepEqual(
          lines.map(([event, { count, err }]) => [event, count, err instanceof Error]),
          [['former_requests_unreadable', 4, true]],
        )
        assert.equal((await listAll(makeRequestLists(requestLog), { after: null, count: 90 })).length, 146)
        assert.equal((await raw('select 1 as one from request_log')).length, 0)
      }),
    ),
  )
}

interface FormerRow {
  readonly merchantId?: string
  readonly method?: string
  readonly caller?: string
  readonly lost?: number
  readonly detail: string
}

/** Inserts rows as an older version wrote them. */
function insertFormer(count: number, rowOf: (n: number) => FormerRow): string {
  const values = Array.from({ length: count }, (_, n) => {
    const { merchantId = sampleMerchantId, method = 'cards.check', caller = 'server', lost = 0, detail } = rowOf(n)
    return `(${String(bucket)}, '${merchantId}', ${String(T0 + n)}, 'feedfeed${String(n).padStart(8, '0')}feedfeed', '${method}', 'spec', 0, '', 1500,
      '${caller}', '${'c'.repeat(24)}', ${String(lost)}, 0, 9, '${detail}')`
  })
  return `insert into request_log (bucket, merchant_id, at, request_id, method, profile, code, reason, micros, caller, card_id, lost, lost_from, bytes, detail)
    values ${values.join(', ')} returning 1 as one`
}

async function append(requestLog: RequestLogStore, rows: readonly RequestRow[]): Promise<void> {
  await requestLog.append(toSegments(rows.map(encodeRow)))
}

/** Follows the cursors to the end. */
async function listAll(lists: RequestLists, query: RequestListQuery): Promise<RequestRow[]> {
  const seen: RequestRow[] = []
  let after: TimeCursor | null = null
  for (let page = 0; page < 200; page++) {
    const { requests, next } = await lists.list(of, { ...query, after })
    seen.push(...requests)
    if (next === null) return seen
    after = next
  }
  return assert.fail('the list has no end')
}

function detailOf(...list: RequestRow['detail']['params']['list']): RequestRow['detail'] {
  return { data: '', params: { list, more: 0 }, result: { list: [], more: 0 } }
}
