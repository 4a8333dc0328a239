import type { TimePlace } from './dashboard.ts'

/** One call of the API as its merchant's log keeps it: what was redacted before it came here. */
export interface RequestRow {
  readonly bucket: number
  readonly merchantId: string
  /** When it was answered, unix milliseconds. */
  readonly at: number
  readonly requestId: string
  /** '' when the body named none that exists. */
  readonly method: string
  readonly profile: 'spec' | 'subscribe'
  /** 0 for a result. */
  readonly code: number
  readonly reason: string
  /** Thousandths of a millisecond. */
  readonly micros: number
  readonly caller: 'server' | 'browser' | 'unproved'
  /** '' where the call has no card. */
  readonly cardId: string
  /** Above 0: this is no call, but so many that were not recorded, the first of them at `lostFrom`. */
  readonly lost: number
  readonly lostFrom: number
}

/** With what only the page of one call shows. */
export interface WholeRequestRow extends RequestRow {
  readonly bytes: number
  /** JSON; bounded by whoever redacts. */
  readonly detail: string
}

export interface RequestsOf {
  readonly bucket: number
  readonly merchantId: string
}

export interface RequestsAsk extends RequestsOf {
  /** `id` is the request's. */
  readonly after: TimePlace | null
  readonly from: number
  readonly count: number
  /** Null: calls of every card and of none. */
  readonly cardId: string | null
}

/** The request log: written behind the calls, read by the dashboard, dropped by age and by number. */
export interface RequestLogStore {
  /** One that is there already is left as it is. */
  appendRequests(rows: readonly WholeRequestRow[]): Promise<void>
  /** Newest first, by (at, requestId). */
  listRequests(ask: RequestsAsk): Promise<RequestRow[]>
  findRequest(of: RequestsOf & { readonly requestId: string }): Promise<WholeRequestRow | null>
  /** The newest row behind the newest `keep`; null when there are no more than those. */
  findRequestBehind(of: RequestsOf & { readonly keep: number }): Promise<TimePlace | null>
  /** Drops a slice of a merchant's rows up to a place, that included; tells how many. */
  dropRequestsOf(of: RequestsOf & { readonly upTo: TimePlace }): Promise<number>
  /** Drops what was answered before the hour of a moment, slice by slice. */
  dropRequests(before: number, stopping?: AbortSignal): Promise<number>
}
