import type { ReceiptStatus } from '@tessera/contract/receipt-status'

import {
  countSummaries,
  listReceiptSummaries,
  type ReceiptSummary,
  type SummaryKey,
  type SummaryPageQuery,
} from '../../store/receipt-summaries.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

/** What receipts are searched by. Null: any. */
export interface ReceiptConditions {
  readonly status: ReceiptStatus | null
  readonly cardId: string | null
  readonly customer: string | null
  /** A value of an account field, as `toOrderKey` writes it. */
  readonly order: string | null
  /** The `reason` of the last refused payment. */
  readonly reason: string | null
  /** What the range of time is about: when it was created (null), or when the money was debited or returned. */
  readonly dateOf: 'paid' | 'refunded' | null
  /** Tiyin, both ends included. */
  readonly amountFrom: number | null
  readonly amountTo: number | null
}

export const noConditions: ReceiptConditions = Object.freeze({
  status: null,
  cardId: null,
  customer: null,
  order: null,
  reason: null,
  dateOf: null,
  amountFrom: null,
  amountTo: null,
})

export function hasConditions(conditions: ReceiptConditions): boolean {
  return Object.values(conditions).some((condition) => condition !== null)
}

export interface SummarySearch extends Pick<SummaryPageQuery, 'bucket' | 'merchantId' | 'from' | 'to' | 'after' | 'count'> {
  readonly conditions: ReceiptConditions
}

export interface FoundSummaries {
  readonly matching: readonly ReceiptSummary[]
  /** Where the next page begins. It may begin behind fewer than `count` matching receipts, since a page reads a bounded number of rows. */
  readonly next: TimeCursor | null
}

/** A page of the summaries that match all conditions, newest first: a range of the index of the narrowest condition, of which the others are picked out. */
export async function findMatchingSummaries(store: Pick<Store, 'read'>, search: SummarySearch): Promise<FoundSummaries> {
  const { conditions, count, from, to } = search
  const by = narrowestKey(conditions)
  // The indexes of the other keys are in the order of creation: of their few rows those of another time are picked out.
  const isPicked = conditions.dateOf !== null && by.key !== 'captured' && by.key !== 'refunded'
  const range = { ...search, ...(isPicked ? { from: 0, to: Number.MAX_SAFE_INTEGER } : {}), by }
  const matching: ReceiptSummary[] = []
  let after = search.after
  for (let page = 0; page < pagesMax; page++) {
    const read = await store.read(listReceiptSummaries({ ...range, after, count: rowsAtOnce }))
    for (const summary of read) {
      if (matches(summary, conditions) && (!isPicked || isWithin(timeOf(summary, conditions.dateOf), { from, to }))) {
        if (matching.length === count) return { matching, next: after }
        matching.push(summary)
      }
      after = { at: timeOf(summary, isPicked ? null : conditions.dateOf), id: summary.receiptId }
    }
    if (read.length < rowsAtOnce) return { matching, next: null }
  }
  return { matching, next: after }
}

function timeOf({ createdAt, capturedAt, refundedAt }: ReceiptSummary, dateOf: ReceiptConditions['dateOf']): number {
  return dateOf === null ? createdAt : dateOf === 'paid' ? capturedAt : refundedAt
}

function isWithin(at: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return at > 0 && at >= from && at < to
}

function narrowestKey({ order, customer, cardId, status, dateOf, amountFrom, amountTo }: ReceiptConditions): SummaryKey {
  if (order !== null) return { key: 'order', value: order }
  if (cardId !== null) return { key: 'card', value: cardId }
  if (customer !== null) return { key: 'customer', value: customer }
  if (amountFrom !== null && amountFrom === amountTo) return { key: 'amount', value: amountFrom }
  if (dateOf !== null) return { key: dateOf === 'paid' ? 'captured' : 'refunded' }
  return status === null ? { key: 'time' } : { key: 'status', value: status }
}

/** How many receipts a search finds at most: those of its narrowest condition. Null for a key of which there are few. */
export async function countAtMost(
  store: Pick<Store, 'read'>,
  { conditions, ...range }: Omit<SummarySearch, 'after' | 'count'>,
): Promise<number | null> {
  const by = narrowestKey(conditions)
  return by.key === 'time' || by.key === 'captured' || by.key === 'refunded' || by.key === 'status'
    ? store.read(countSummaries(by, range, countedMax))
    : null
}

/** The order is not part of a summary: it is searched by its own index, and never changes. */
export function matches(summary: SearchedFields, { status, cardId, customer, reason, amountFrom, amountTo }: ReceiptConditions): boolean {
  return (
    (status === null || summary.status === status) &&
    (cardId === null || summary.cardId === cardId) &&
    (customer === null || summary.customer === customer) &&
    (reason === null || summary.reason === reason) &&
    (amountFrom === null || summary.amountTiyin >= amountFrom) &&
    (amountTo === null || summary.amountTiyin <= amountTo)
  )
}

export type SearchedFields = Pick<ReceiptSummary, 'status' | 'cardId' | 'customer' | 'reason' | 'amountTiyin'>

/** Counting goes on for some milliseconds, and a file of a spreadsheet has no more rows. */
const countedMax = 1_048_576
const rowsAtOnce = 250
/** With more rows to read, the page ends and the next one goes on. */
const pagesMax = 8
