import { RpcError } from '@tessera/contract/errors'

import type { MerchantKey } from '../../store/merchants.ts'
import { type DetailedRequestRow, findRequest, listRequests, type RequestRow } from '../../store/request-log.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import type { RequestDetail } from './request-recorder.ts'

export type { RequestDetail, RequestRow }

export interface RequestFilter {
  readonly after: TimeCursor | null
  readonly count: number
  readonly method?: string
  readonly outcome?: 'ok' | 'error'
  readonly code?: number
  readonly requestId?: string
  readonly cardId?: string
  readonly from?: number
  readonly to?: number
}

/** The request log of a merchant, for the dashboard. */
export interface RequestLists {
  list(of: MerchantKey, filter: RequestFilter): Promise<{ requests: RequestRow[]; next: TimeCursor | null }>
  /** Throws `requestNotFound`. */
  get(of: MerchantKey, requestId: string): Promise<{ row: DetailedRequestRow; detail: RequestDetail }>
}

export function makeRequestLists(store: Pick<Store, 'read'>): RequestLists {
  return Object.freeze<RequestLists>({
    async list({ bucket, merchantId }, filter) {
      if (filter.requestId !== undefined) return findOne({ bucket, merchantId }, filter, filter.requestId)
      const { count, from = 0, cardId = null } = filter
      const matching: RequestRow[] = []
      let after = startOf(filter)
      // Rows that the filter excludes are read too, up to a maximum, so a page may be short and still have a next one.
      const isFiltered = filter.method !== undefined || filter.outcome !== undefined || filter.code !== undefined
      for (let round = 0; round < (isFiltered ? maxReads : 1); round++) {
        if (round > 0) await yieldToOthers()
        const readCount = isFiltered ? rowsPerRead : count
        const found = await store.read(listRequests({ bucket, merchantId, after, from, count: readCount + 1, cardId }))
        const rows = found.slice(0, readCount)
        for (const [at, row] of rows.entries()) {
          if (matches(row, filter)) matching.push(row)
          if (matching.length === count && (at < rows.length - 1 || found.length > readCount))
            return { requests: matching, next: cursorOf(row) }
        }
        const last = rows.at(-1)
        if (found.length <= readCount || last === undefined) return { requests: matching, next: null }
        after = cursorOf(last)
      }
      return { requests: matching, next: after }
    },
    async get(of, requestId) {
      const row = await store.read(findRequest({ bucket: of.bucket, merchantId: of.merchantId, requestId }))
      if (row === null || row.lost > 0) throw new RpcError('requestNotFound')
      return { row, detail: JSON.parse(row.detail) as RequestDetail }
    },
  })

  async function findOne(of: MerchantKey, filter: RequestFilter, requestId: string) {
    const row = await store.read(findRequest({ ...of, requestId }))
    const { from = 0, to = Infinity, cardId } = filter
    const isMatching =
      row !== null && row.at >= from && row.at < to && matches(row, filter) && (cardId === undefined || row.cardId === cardId)
    return { requests: isMatching ? [row] : [], next: null }
  }
}

/** Gaps match every filter, because a call that was not recorded could have matched. */
function matches({ method, code, lost }: RequestRow, filter: RequestFilter): boolean {
  if (lost > 0) return true
  if (filter.method !== undefined && filter.method !== method) return false
  if (filter.code !== undefined && filter.code !== code) return false
  return filter.outcome === undefined || (filter.outcome === 'ok') === (code === 0)
}

/** The cursor of the previous page, or the end of the period. */
function startOf({ after, to }: RequestFilter): TimeCursor | null {
  if (to === undefined) return after
  return after !== null && after.at < to ? after : { at: to, id: '' }
}

function cursorOf({ at, requestId }: RequestRow): TimeCursor {
  return { at, id: requestId }
}

/** The embedded store reads on the thread that serves requests, so other requests run between two reads. */
function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** About two milliseconds of the embedded store. */
const rowsPerRead = 500
const maxReads = 20
