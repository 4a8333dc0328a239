import type { SegmentCondition } from '../../store/request-segments.ts'

import type { AddressClass, RequestRow } from './request-row.ts'

/** What a list of the request log wants. */
export interface RequestFilter {
  readonly method?: string
  readonly outcome?: 'ok' | 'error'
  readonly code?: number
  readonly reason?: string
  readonly cardId?: string
  readonly receiptId?: string
  /** The value of a param `customer`. */
  readonly customer?: string
  /** The value of any field of the account of a receipt or a card. */
  readonly order?: string
  readonly addressClass?: AddressClass
  readonly minMs?: number
  readonly maxMs?: number
}

/** Whether a call is wanted. Gaps match every filter, because a call that was not recorded could have matched. */
export function matchesFilter(row: RequestRow, filter: RequestFilter): boolean {
  if (row.lost > 0) return true
  const { method, outcome, code, reason, cardId, addressClass, minMs = 0, maxMs = Infinity } = filter
  if (method !== undefined && row.method !== method) return false
  if (outcome !== undefined && (outcome === 'ok') !== (row.code === 0)) return false
  if (code !== undefined && row.code !== code) return false
  if (reason !== undefined && row.reason !== reason) return false
  if (cardId !== undefined && row.cardId !== cardId) return false
  if (addressClass !== undefined && row.addressClass !== addressClass) return false
  if (row.micros < minMs * 1000 || row.micros > maxMs * 1000) return false
  return matchesParams(row, filter)
}

function matchesParams({ method, detail: { params, result } }: RequestRow, { receiptId, customer, order }: RequestFilter): boolean {
  const isOf = (wanted: string, isPath: (path: string) => boolean, of = params): boolean =>
    of.list.some(({ path, value, hidden }) => hidden === null && isPath(path) && String(value) === wanted)
  if (customer !== undefined && !isOf(customer, (path) => path === 'customer')) return false
  if (order !== undefined && !isOf(order, (path) => path.startsWith('account.'))) return false
  if (receiptId === undefined) return true
  const isOfReceipt = method.startsWith('receipts.') && isOf(receiptId, (path) => path === 'id')
  return isOfReceipt || isOf(receiptId, (path) => path === 'receipt._id', result)
}

/** What the segments of matching calls have in common, the rarest first, so that the others need not be read. */
export function toSegmentCondition(filter: RequestFilter): SegmentCondition {
  const { method, outcome, code = 0, reason = '', cardId, receiptId, customer, order, addressClass, minMs = 0 } = filter
  const needles = [
    ...[cardId, receiptId, order, customer].filter((text) => text !== undefined).map(escaped),
    ...[reason, method ?? ''].filter((text) => text !== '').map((text) => `"${escaped(text)}"`),
    ...(code === 0 ? [] : [`,${String(code)},`]),
    ...(addressClass === undefined ? [] : [`"${addressClass}"`]),
  ]
  return {
    needles: needles.slice(0, maxNeedles),
    minErrors: outcome === 'error' || code !== 0 || reason !== '' ? 1 : 0,
    minResults: outcome === 'ok' ? 1 : 0,
    minMicros: minMs * 1000,
  }
}

/** As the text is within a string of JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

const maxNeedles = 2
