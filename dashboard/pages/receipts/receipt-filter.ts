import { tashkentDay } from '@tessera/contract/calendar-day'
import type { Params } from '@tessera/contract/operations'
import type { Language } from '@tessera/contract/profile'
import { receiptStatuses, type ReceiptStatus } from '@tessera/contract/receipt-status'

import type { DashboardRoute } from '../../app/page-route.ts'
import { formatSomInput, parseSomInput } from '../../format/numbers.ts'
import { dayRange } from '../../format/time.ts'

/** What days may be about. */
export const receiptDates = ['created', 'paid', 'refunded'] as const

/** Why payments are refused, the most frequent first. */
export const paymentReasons = [
  'insufficient_funds',
  'declined',
  'card_limit',
  'card_blocked',
  'card_expired',
  'sms_not_connected',
  'debit_failed',
  'network_timeout',
  'network_unavailable',
  'system_error',
  'payment_unknown',
  'merchant_refused',
  'merchant_no_answer',
] as const

/** What the list of receipts is filtered by, as it is typed. An empty text filters nothing. */
export interface ReceiptFilter {
  readonly status: ReceiptStatus | ''
  /** What the days are about. */
  readonly date: (typeof receiptDates)[number]
  /** Days in Tashkent, `2026-11-28`. */
  readonly from: string
  readonly to: string
  /** So'm. */
  readonly amountFrom: string
  readonly amountTo: string
  /** A card id. */
  readonly card: string
  /** Why the last payment was refused: one of `paymentReasons`, or another code. */
  readonly reason: string
  /** These two are texts of the merchant's customers, and stay out of the address. */
  readonly order: string
  readonly customer: string
}

export const noFilter: ReceiptFilter = {
  status: '',
  date: 'created',
  from: '',
  to: '',
  amountFrom: '',
  amountTo: '',
  card: '',
  reason: '',
  order: '',
  customer: '',
}

const shownNames = ['status', 'date', 'from', 'to', 'amountFrom', 'amountTo', 'card', 'reason'] as const

/** The filter of an address and its history entry. A status that does not exist, an amount or a day that is none filters nothing. */
export function readReceiptFilter({ query, hidden }: Pick<DashboardRoute, 'query' | 'hidden'>): ReceiptFilter {
  const dayOf = (name: string): string => (/^\d{4}-\d\d-\d\d$/.test(query.get(name) ?? '') ? (query.get(name) ?? '') : '')
  return {
    status: receiptStatuses.find((status) => status === query.get('status')) ?? '',
    date: receiptDates.find((date) => date === query.get('date')) ?? 'created',
    from: dayOf('from'),
    to: dayOf('to'),
    amountFrom: toAmount(query.get('amountFrom') ?? ''),
    amountTo: toAmount(query.get('amountTo') ?? ''),
    card: /^[0-9a-f]{24}$/.exec(query.get('card') ?? '')?.[0] ?? '',
    reason: /^[a-z0-9_]{1,64}$/.exec(query.get('reason') ?? '')?.[0] ?? '',
    order: hidden['order'] ?? '',
    customer: hidden['customer'] ?? '',
  }
}

/** An amount as it is written to an address: `7 000,5` is `7000.50`. Empty for zero, and for what is no amount. */
function toAmount(typed: string): string {
  const tiyin = parseSomInput(typed)
  return tiyin === null || tiyin === 0 ? '' : formatSomInput(tiyin)
}

/** The filter with its amounts as people write them in this language. */
export function withLocalAmounts(filter: ReceiptFilter, language: Language): ReceiptFilter {
  const local = (amount: string): string => {
    const tiyin = parseSomInput(amount)
    return tiyin === null ? amount : formatSomInput(tiyin, language)
  }
  return { ...filter, amountFrom: local(filter.amountFrom), amountTo: local(filter.amountTo) }
}

/** The address of the filtered list. What is hidden is given to `navigate` beside it. */
export function receiptsPath(filter: ReceiptFilter): string {
  const shown = { ...filter, amountFrom: toAmount(filter.amountFrom), amountTo: toAmount(filter.amountTo) }
  const query = new URLSearchParams(
    shownNames.filter((name) => shown[name] !== '' && shown[name] !== noFilter[name]).map((name) => [name, shown[name]]),
  )
  return query.size === 0 ? 'receipts' : `receipts?${query.toString()}`
}

export function hiddenPart({ order, customer }: ReceiptFilter): Readonly<Record<string, string>> {
  return { ...(order === '' ? {} : { order }), ...(customer === '' ? {} : { customer }) }
}

/** The params of the call that lists what matches. */
export function toReceiptListParams({
  status,
  date,
  from,
  to,
  amountFrom,
  amountTo,
  card,
  reason,
  order,
  customer,
}: ReceiptFilter): Params<'dashboard.receipts.list'> {
  const [least, most] = [parseSomInput(amountFrom), parseSomInput(amountTo)]
  return {
    ...dayRange(from, to),
    ...(date === 'created' ? {} : { dateOf: date }),
    ...(status === '' ? {} : { status }),
    ...(least === null ? {} : { amountFrom: least }),
    ...(most === null ? {} : { amountTo: most }),
    ...(card === '' ? {} : { cardId: card }),
    ...(reason === '' ? {} : { reason }),
    ...(order.trim() === '' ? {} : { order: order.trim() }),
    ...(customer === '' ? {} : { customer }),
  }
}

/** The views that most people need, by their names in the messages. `now` is unix milliseconds. */
export function receiptViews(
  now: number,
): readonly (readonly ['all' | 'failedToday' | 'refundsThisMonth' | 'needsReview', ReceiptFilter])[] {
  const today = tashkentDay(now)
  return [
    ['all', noFilter],
    ['failedToday', { ...noFilter, status: 'failed', from: today, to: today }],
    ['refundsThisMonth', { ...noFilter, date: 'refunded', from: `${today.slice(0, 7)}-01`, to: today }],
    ['needsReview', { ...noFilter, status: 'needs_review' }],
  ]
}
