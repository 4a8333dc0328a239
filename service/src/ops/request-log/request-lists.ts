import { RpcError } from '@tessera/contract/errors'

import type { MerchantKey } from '../../store/merchants.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import {
  findSegment,
  findSegmentWithId,
  HOUR_MS,
  listSegmentHeads,
  type RequestSegmentHead,
  type SegmentCondition,
} from '../../store/request-segments.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { matchesFilter, toSegmentCondition, type RequestFilter } from './request-filter.ts'
import { decodeRows, type RequestRow } from './request-row.ts'
import { timeInRequestId } from './request-id-time.ts'

export interface RequestListQuery extends RequestFilter {
  readonly after: TimeCursor | null
  readonly count: number
  readonly requestId?: string
  readonly from?: number
  /** Calls at this time are not listed. */
  readonly to?: number
}

export interface RequestPage {
  readonly requests: readonly RequestRow[]
  readonly next: TimeCursor | null
}

/** The request log of a merchant, for the dashboard. */
export interface RequestLists {
  /** A page may be short, or empty, and still have a next one: of a filter that few calls match, a limited number of segments is searched at a time. */
  list(of: MerchantKey, query: RequestListQuery): Promise<RequestPage>
  /** Throws `requestNotFound`. */
  get(of: MerchantKey, requestId: string): Promise<RequestRow>
  /** The call of an id, sought only at the time that the id has: null for an id without one, as those of earlier versions. */
  findByTime(of: MerchantKey, requestId: string): Promise<RequestRow | null>
}

/** Which calls a walk through the segments is for. */
interface RequestSelection {
  /** Newer calls, and the one at the cursor, are left out. */
  readonly before: TimeCursor
  readonly from: number
  readonly count: number
  readonly condition: SegmentCondition
  readonly matches: (row: RequestRow) => boolean
}

export function makeRequestLists(requestLog: Pick<RequestLogStore, 'read'>): RequestLists {
  return Object.freeze<RequestLists>({
    async list({ bucket, merchantId }, query) {
      const of = { bucket, merchantId }
      const { from = 0, to = Infinity, count, requestId } = query
      const matches = (row: RequestRow): boolean => matchesFilter(row, query)
      if (requestId === undefined)
        return listNewest(of, { before: startOf(query), from, count, condition: toSegmentCondition(query), matches })
      const row = await findRow(of, requestId)
      return { requests: row !== null && row.at >= from && row.at < to && matches(row) ? [row] : [], next: null }
    },
    async get({ bucket, merchantId }, requestId) {
      const row = await findRow({ bucket, merchantId }, requestId)
      if (row === null || row.lost > 0) throw new RpcError('requestNotFound')
      return row
    },
    async findByTime({ bucket, merchantId }, requestId) {
      const row = await findRowByTime({ bucket, merchantId }, requestId)
      return row === null || row.lost > 0 ? null : row
    },
  })

  /** By the time that its id has; where that finds nothing, such as for calls of before ids had one, in all segments. */
  async function findRow(of: MerchantKey, requestId: string): Promise<RequestRow | null> {
    const row = await findRowByTime(of, requestId)
    if (row !== null) return row
    const condition = { needles: [`"${requestId}"`], minErrors: 0, minResults: 0, minMicros: 0 }
    const matches = (row: RequestRow): boolean => row.requestId === requestId
    const { requests } = await listNewest(of, { before: endOfTime, from: 0, count: 1, condition, matches })
    return requests[0] ?? null
  }

  async function findRowByTime(of: MerchantKey, requestId: string): Promise<RequestRow | null> {
    const startedAt = timeInRequestId(requestId)
    if (startedAt === null) return null
    const range = { requestId, from: startedAt - clockStepMs, to: startedAt + longestCallMs }
    const segment = await requestLog.read(findSegmentWithId(of, range))
    return (segment === null ? undefined : decodeRows(segment).find((each) => each.requestId === requestId)) ?? null
  }

  async function listNewest(of: MerchantKey, { before, from, count, condition, matches }: RequestSelection): Promise<RequestPage> {
    const found = new FoundRows()
    const requests: RequestRow[] = []
    // A segment with calls before the cursor ends within its hour.
    let behind: TimeCursor = { at: Math.min(before.at + HOUR_MS, Number.MAX_SAFE_INTEGER), id: '' }
    let [searchedCalls, searchedSegments] = [0, 0]
    for (let headCount = firstHeadCount; ; headCount = nextHeadCount(headCount)) {
      const heads = await requestLog.read(listSegmentHeads({ ...of, ...condition, behind, latest: before.at, from, count: headCount }))
      const isEnd = heads.length < headCount
      for (let at = 0; at < heads.length;) {
        const batch = takeBatch(heads, at, count + 1 - requests.length)
        const segments = await Promise.all(
          batch.filter(({ isHit }) => isHit).map((head) => requestLog.read(findSegment(of, cursorOf(head)))),
        )
        for (const segment of segments)
          if (segment !== null) found.add(decodeRows(segment).filter((row) => row.at >= from && isOlder(row, before) && matches(row)))
        at += batch.length
        behind = cursorOf(batch.at(-1) ?? firstHead)
        // Calls that are newer than the newest segment that was not read.
        const unread = heads[at]
        requests.push(...found.take(unread === undefined ? behind : cursorOf(unread)))
        if (requests.length > count) return pageOf(requests, count)
      }
      if (isEnd) {
        // Where there were no heads, what the look before has found is still to be taken.
        requests.push(...found.take(beginOfTime))
        return pageOf(requests, count)
      }
      searchedSegments += heads.length
      searchedCalls += heads.reduce((sum, { calls }) => sum + calls, 0)
      if (searchedCalls > maxSearchedCalls || searchedSegments > maxSearchedSegments)
        return { requests, next: { at: behind.at, id: `${behind.id}0` } }
    }
  }
}

/** Calls that were found, until it is certain that no newer ones will be. */
class FoundRows {
  /** Newest first. */
  #rows: RequestRow[] = []
  #last: RequestRow | null = null

  add(rows: readonly RequestRow[]): void {
    this.#rows.push(...rows)
    this.#rows.sort((one, other) => (isOlder(one, cursorOfRow(other)) ? 1 : -1))
  }

  /** Removes and returns those that are newer than the cursor. A call that was written twice, by an attempt whose outcome was unknown, is returned once. */
  take(cursor: TimeCursor): RequestRow[] {
    const end = this.#rows.findIndex((row) => isOlder(row, cursor) || (row.at === cursor.at && row.requestId === cursor.id))
    return this.#rows.splice(0, end === -1 ? this.#rows.length : end).filter((row) => {
      const isRepeated = this.#last !== null && this.#last.at === row.at && this.#last.requestId === row.requestId
      this.#last = row
      return !isRepeated
    })
  }
}

/** As many segments as have the wanted number of calls, if all their calls match; at least one. */
function takeBatch(heads: readonly RequestSegmentHead[], from: number, wanted: number): RequestSegmentHead[] {
  const batch: RequestSegmentHead[] = []
  let calls = 0
  let hits = 0
  for (let at = from; at < heads.length && calls < wanted && hits < maxBatchSegments; at++) {
    const head = heads[at] ?? firstHead
    batch.push(head)
    if (!head.isHit) continue
    calls += head.calls
    hits++
  }
  return batch
}

function pageOf(requests: readonly RequestRow[], count: number): RequestPage {
  const last = requests[count - 1]
  return { requests: requests.slice(0, count), next: requests.length > count && last !== undefined ? cursorOfRow(last) : null }
}

function isOlder({ at, requestId }: RequestRow, cursor: TimeCursor): boolean {
  return at < cursor.at || (at === cursor.at && requestId < cursor.id)
}

/** The cursor of the previous page, or the end of the period. */
function startOf({ after, to }: RequestListQuery): TimeCursor {
  if (to === undefined) return after ?? endOfTime
  return after !== null && after.at < to ? after : { at: to, id: '' }
}

function cursorOf({ lastAt, lastId }: RequestSegmentHead): TimeCursor {
  return { at: lastAt, id: lastId }
}

function cursorOfRow({ at, requestId }: RequestRow): TimeCursor {
  return { at, id: requestId }
}

function nextHeadCount(count: number): number {
  return Math.min(count * 4, maxHeadCount)
}

const endOfTime: TimeCursor = { at: Number.MAX_SAFE_INTEGER, id: '' }
const beginOfTime: TimeCursor = { at: -1, id: '' }
const firstHead: RequestSegmentHead = { lastAt: 0, lastId: '', calls: 0, isHit: false }
/** Segments of the first look: of a merchant with few calls each has one. */
const firstHeadCount = 64
/** A tenth of a second of the database, where they are full. */
const maxHeadCount = 1024
const maxSearchedCalls = 100_000
const maxSearchedSegments = 10_000
/** Read side by side. */
const maxBatchSegments = 32
/** An id has whole seconds, and a clock may be set back. */
const clockStepMs = 2000
/** Longer than any call takes: the sum of all time limits. */
const longestCallMs = 180_000
