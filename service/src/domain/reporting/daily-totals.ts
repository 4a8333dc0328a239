import { countDays, type DayPeriod, listDays, periodBefore, toTimeRange } from '@tessera/contract/calendar-day'
import type { ReceiptStatus } from '@tessera/contract/receipt-status'

import { type MoneyCount, sumSummaries, sumSummariesOfStatus } from '../../store/receipt-summaries.ts'
import type { Store } from '../../store/store.ts'

import type { MerchantCardsKey } from './cards.ts'
import { countUnreadEntries } from './receipt-summaries.ts'

/** What was debited for the merchant and returned in a range of time, by the replies of the network. The overview, the totals of days and files all count so. */
export interface MoneyTotals {
  readonly paid: number
  readonly paidTiyin: number
  /** Of payments that were returned in the range, whenever they were made. */
  readonly refunded: number
  readonly refundedTiyin: number
}

/** Unix milliseconds, from `from` to before `to`. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

export async function sumMoney(
  store: Pick<Store, 'read'>,
  { bucket, merchantId }: MerchantCardsKey,
  { from, to }: TimeRange,
): Promise<MoneyTotals> {
  const range = { bucket, merchantId, from, to }
  const [captured, refunded] = await Promise.all([store.read(sumSummaries('captured', range)), store.read(sumSummaries('refunded', range))])
  return { paid: captured.count, paidTiyin: captured.tiyin, refunded: refunded.count, refundedTiyin: refunded.tiyin }
}

export const noMoneyTotals: MoneyTotals = Object.freeze({ paid: 0, paidTiyin: 0, refunded: 0, refundedTiyin: 0 })

export function addMoney(sum: MoneyTotals, money: MoneyTotals): MoneyTotals {
  return {
    paid: sum.paid + money.paid,
    paidTiyin: sum.paidTiyin + money.paidTiyin,
    refunded: sum.refunded + money.refunded,
    refundedTiyin: sum.refundedTiyin + money.refundedTiyin,
  }
}

/** The totals of each range, in their order. */
export async function sumMoneyOfEach(
  store: Pick<Store, 'read'>,
  of: MerchantCardsKey,
  ranges: readonly TimeRange[],
): Promise<MoneyTotals[]> {
  return inGroups(ranges, (range) => sumMoney(store, of, range))
}

/** A few at once, and then other calls: on the embedded store each is read without interruption. */
async function inGroups<From, To>(all: readonly From[], read: (each: From) => Promise<To>): Promise<To[]> {
  const results: To[] = []
  for (let at = 0; at < all.length; at += rangesAtOnce) {
    results.push(...(await Promise.all(all.slice(at, at + rangesAtOnce).map(read))))
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return results
}

export interface DayTotals extends MoneyTotals {
  readonly feeTiyin: 0
  readonly netTiyin: number
  /** Receipts created on the day whose outcome is open. */
  readonly pending: number
  readonly pendingTiyin: number
}

export interface DailyTotals {
  readonly days: readonly (DayTotals & { readonly day: string })[]
  readonly total: DayTotals
  /** Entries of the audit whose changes are not counted yet. */
  readonly unreadEntries: number
}

/** The totals of each day of a period. A day is some ranges of indexes that have the amounts. */
export async function listDailyTotals(store: Store, of: MerchantCardsKey, period: DayPeriod): Promise<DailyTotals> {
  const days = await inGroups(listDays(period), (day) => sumDay(store, of, day))
  return { days, total: days.reduce(addTotals, noTotals), unreadEntries: await countUnreadEntries(store) }
}

/** Whether a period exists, and has at most `daysMax` days. */
export function isPeriod(period: DayPeriod, daysMax: number): boolean {
  const count = countDays(period)
  return count >= 1 && count <= daysMax
}

/** The same for a period that is compared with the one before it: that one must not reach beyond the days there are, either. */
export function isComparablePeriod(period: DayPeriod, daysMax: number): boolean {
  return isPeriod(period, daysMax) && countDays(periodBefore(period)) === countDays(period)
}

async function sumDay(store: Store, of: MerchantCardsKey, day: string): Promise<DayTotals & { readonly day: string }> {
  const range = toTimeRange({ from: day, to: day })
  const key = { bucket: of.bucket, merchantId: of.merchantId, ...range }
  const [money, ...open] = await Promise.all([
    sumMoney(store, of, range),
    ...pendingStatuses.map((status) => store.read(sumSummariesOfStatus(status, key, pendingMax))),
  ])
  const sum = (read: (count: MoneyCount) => number): number => open.reduce((total, count) => total + read(count), 0)
  return {
    day,
    ...money,
    feeTiyin: 0,
    netTiyin: money.paidTiyin - money.refundedTiyin,
    pending: sum(({ count }) => count),
    pendingTiyin: sum(({ tiyin }) => tiyin),
  }
}

function addTotals(sum: DayTotals, day: DayTotals): DayTotals {
  return {
    ...addMoney(sum, day),
    feeTiyin: 0,
    netTiyin: sum.netTiyin + day.netTiyin,
    pending: sum.pending + day.pending,
    pendingTiyin: sum.pendingTiyin + day.pendingTiyin,
  }
}

const noTotals: DayTotals = Object.freeze({
  ...noMoneyTotals,
  feeTiyin: 0,
  netTiyin: 0,
  pending: 0,
  pendingTiyin: 0,
})

/** Their money is neither the merchant's nor the cardholder's yet. */
const pendingStatuses: readonly ReceiptStatus[] = ['processing', 'authorized', 'refunding', 'pending_confirmation', 'needs_review']
const rangesAtOnce = 4
/** A merchant who holds everything has a day's payments here. */
const pendingMax = 100_000
