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

/** The request log as a merchant's people look at it. */
export interface RequestLists {
  list(of: MerchantKey, filter: RequestFilter): Promise<{ requests: RequestRow[]; next: TimeCursor | null }>
  /** Throws `requestNotFound`. */
  get(of: MerchantKey, requestId: string): Promise<{ row: DetailedRequestRow; detail: RequestDetail }>
}

export function makeRequestLists(store: Pick<Store, 'read'>): RequestLists {
  return Object.freeze<RequestLists>({
    async list({ bucket, merchantId }, filter) {
      if (filter.requestId !== undefined) return one({ bucket, merchantId }, filter, filter.requestId)
      const { count, from = 0, cardId = null } = filter
      const picked: RequestRow[] = []
      let after = startOf(filter)
      // What a filter leaves out is read too, of so many rows at most: a page may be short and still have a next one.
      const isPicking = filter.method !== undefined || filter.outcome !== undefined || filter.code !== undefined
      for (let turn = 0; turn < (isPicking ? maxReads : 1); turn++) {
        if (turn > 0) await yieldToOthers()
        const look = isPicking ? rowsPerRead : count
        const looked = await store.read(listRequests({ bucket, merchantId, after, from, count: look + 1, cardId }))
        const rows = looked.slice(0, look)
        for (const [at, row] of rows.entries()) {
          if (matches(row, filter)) picked.push(row)
          if (picked.length === count && (at < rows.length - 1 || looked.length > look)) return { requests: picked, next: cursorOf(row) }
        }
        const last = rows.at(-1)
        if (looked.length <= look || last === undefined) return { requests: picked, next: null }
        after = cursorOf(last)
      }
      return { requests: picked, next: after }
    },
    async get(of, requestId) {
      const row = await store.read(findRequest({ bucket: of.bucket, merchantId: of.merchantId, requestId }))
      if (row === null || row.lost > 0) throw new RpcError('requestNotFound')
      return { row, detail: JSON.parse(row.detail) as RequestDetail }
    },
  })

  async function one(of: MerchantKey, filter: RequestFilter, requestId: string) {
    const row = await store.read(findRequest({ ...of, requestId }))
    const { from = 0, to = Infinity, cardId } = filter
    const isIn = row !== null && row.at >= from && row.at < to && matches(row, filter) && (cardId === undefined || row.cardId === cardId)
    return { requests: isIn ? [row] : [], next: null }
  }
}

/** A gap is told whatever is looked for: what is not there might have been it. */
function matches({ method, code, lost }: RequestRow, filter: RequestFilter): boolean {
  if (lost > 0) return true
  if (filter.method !== undefined && filter.method !== method) return false
  if (filter.code !== undefined && filter.code !== code) return false
  return filter.outcome === undefined || (filter.outcome === 'ok') === (code === 0)
}

/** From the page before, or from the end of the span. */
function startOf({ after, to }: RequestFilter): TimeCursor | null {
  if (to === undefined) return after
  return after !== null && after.at < to ? after : { at: to, id: '' }
}

function cursorOf({ at, requestId }: RequestRow): TimeCursor {
  return { at, id: requestId }
}

/** The embedded store reads on the thread that answers: whoever has waited meanwhile comes first. */
function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Some two milliseconds of the embedded store. */
const rowsPerRead = 500
const maxReads = 20
