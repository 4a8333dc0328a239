import { receiptStatuses } from '@tessera/contract/receipt-status'

import { integer, oneOf, quote, quotedText, readInteger, readText, text, timestamp } from './columns.ts'
import { type Row, sql, withMany } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { execute, type Read, run, type TimeCursor, type Transaction } from './transaction.ts'

// What is needed to find receipts, written behind their commits (domain/reporting/receipt-summaries.ts). Whoever reads a summary reads its receipt.

const noMacBecause =
  'finds receipts, and sums them up for charts and totals: what is shown of one, and what is decided, is read from the receipt itself'

// prettier-ignore
export const receiptSummariesTable = table('receipt_summaries', {
  bucket:        integer().key(),
  receiptId:     text().key(),
  merchantId:    text(),
  version:       integer(),                    // of the receipt that was summed up
  status:        oneOf(...receiptStatuses),
  amountTiyin:   integer(),
  capturedTiyin: integer(),
  refundedTiyin: integer(),
  cardId:        text(),                       // '' before a payment, and after a refusal
  customer:      quotedText(),                 // '' for none
  reason:        text(),                       // of the last refused payment; '' for none
  createdAt:     timestamp(),
  paidAt:        timestamp(),                  // 0 until paid or held
  capturedAt:    timestamp(),                  // 0 until debited, and where the merchant did not get it
  refundedAt:    timestamp(),                  // 0 until returned
}, noMacBecause)

export type ReceiptSummary = RowOf<typeof receiptSummariesTable>

// prettier-ignore
export const receiptOrdersTable = table('receipt_orders', {
  bucket:     integer().key(),
  merchantId: text().key(),
  value:      quotedText().key(),              // of an account field, in lower case
  createdAt:  timestamp().key(),
  receiptId:  text().key(),
}, noMacBecause)

/** A value of an account field of a receipt, by which it is found. */
export type ReceiptOrder = RowOf<typeof receiptOrdersTable>

/** How far one audit chain was read. */
export interface SummaryPosition {
  readonly chain: string
  readonly seq: number
}

const isNewer = `where receipt_summaries.version < excluded.version`
const replaceOlder = `on conflict (bucket, receipt_id) do update ${receiptSummariesTable.replaceSql} ${isNewer}`

const upsertSummary = withMany(
  sql`${receiptSummariesTable.insertSql} ${replaceOlder}`,
  `${receiptSummariesTable.insertRowsSql} ${replaceOlder}`,
  {
    columns: receiptSummariesTable.names.length,
  },
)

const insertOrder = withMany(
  sql`${receiptOrdersTable.insertSql} on conflict do nothing`,
  `${receiptOrdersTable.insertRowsSql} on conflict do nothing`,
  { columns: receiptOrdersTable.names.length },
)

const advancePosition = sql`
  insert into summary_positions (chain, seq) values ($1, $2)
  on conflict (chain) do update set seq = excluded.seq where summary_positions.seq < excluded.seq`

export interface StoreReceiptSummaries {
  readonly summaries: readonly ReceiptSummary[]
  readonly orders: readonly ReceiptOrder[]
  readonly positions: readonly SummaryPosition[]
}

/** Stores summaries, one of each receipt, and how far the chains were read. One of an older version of a receipt changes nothing, so that two processes may do the same work. */
export function* storeReceiptSummaries({ summaries, orders, positions }: StoreReceiptSummaries): Transaction<void> {
  for (const summary of summaries) yield* execute(upsertSummary, receiptSummariesTable.toValues(summary))
  for (const order of orders) yield* execute(insertOrder, receiptOrdersTable.toValues(order))
  for (const { chain, seq } of positions) yield* execute(advancePosition, [chain, seq])
}

const takeLease = sql`
  insert into summary_lease (name, process_id, ends_at) values ('receipts', $1, $2)
  on conflict (name) do update set process_id = excluded.process_id, ends_at = excluded.ends_at
  where summary_lease.process_id = excluded.process_id or summary_lease.ends_at <= $3 or summary_lease.ends_at > $2 + ${60_000}
  returning name`

/**
 * Whether this process is the one that sums up until `endsAt`: it was already, or the time of the one before is over. One that ends more than a minute later was taken by
 * a clock that was ahead. Unix milliseconds.
 */
export function* claimSummaries({ processId, now, endsAt }: ClaimSummaries): Transaction<boolean> {
  return (yield* run(takeLease, [processId, endsAt, now])).length > 0
}

export interface ClaimSummaries {
  readonly processId: string
  readonly now: number
  readonly endsAt: number
}

const selectPositions = sql`select chain, seq from summary_positions order by chain`

/** How far each audit chain was read; chains of which nothing was read are missing. */
export function listSummaryPositions(): Read<SummaryPosition[]> {
  return {
    statement: selectPositions,
    values: [],
    map: (rows) => rows.map((row) => ({ chain: readText(row, 'chain'), seq: readInteger(row, 'seq') })),
  }
}

const selectChanged = sql`
  select merchant_id, subject, max(version) as version from audit
  where chain = $1 and seq > $2 and seq <= $3 and action like 'receipt.%' group by merchant_id, subject`

/** The receipts that entries of a chain behind `after`, up to `until`, say were changed. An entry that cannot be read says nothing. */
export function listChangedReceipts({ chain, after, until }: ChangedReceiptsQuery): Read<ChangedReceipt[]> {
  return {
    statement: selectChanged,
    values: [chain, after, until],
    map: (rows) =>
      rows.flatMap(({ merchant_id: merchantId, subject, version }) =>
        typeof merchantId === 'string' && typeof subject === 'string'
          ? [{ merchantId, receiptId: subject, version: typeof version === 'number' ? version : Infinity }]
          : [],
      ),
  }
}

export interface ChangedReceiptsQuery {
  readonly chain: string
  readonly after: number
  readonly until: number
}

export interface ChangedReceipt {
  readonly merchantId: string
  readonly receiptId: string
  /** The newest of these entries; infinite when it cannot be read. */
  readonly version: number
}

/** A page of a merchant's receipts by their summaries, newest first. */
export interface SummaryPageQuery {
  readonly bucket: number
  readonly merchantId: string
  /** Created from this time, unix milliseconds. */
  readonly from: number
  /** Created before this time. */
  readonly to: number
  readonly by: SummaryKey
  readonly after: TimeCursor | null
  readonly count: number
}

/**
 * What the page is a range of: an index each. `order` is a value of an account field, in lower case. `captured`, `refunded`: range and order are by the time of
 * the debit or of the return, and so is the cursor.
 */
export type SummaryKey =
  | { readonly key: 'time' | 'captured' | 'refunded' }
  | { readonly key: 'status'; readonly value: string }
  | { readonly key: 'card' | 'customer' | 'order'; readonly value: string }
  | { readonly key: 'amount'; readonly value: number }

const inRange = 'created_at >= $3 and (created_at, receipt_id) < ($4, $5)'
const pageBy = (condition: string): string => `
  select ${receiptSummariesTable.columns} from receipt_summaries where bucket = $1 and merchant_id = $2 ${condition} and ${inRange}
  order by created_at desc, receipt_id desc limit $6`

// The condition of the partial index stands last: SQLite begins its range at the first lower bound, and with 0 it would read all rows before it.
const pageByTimeOf = (kind: 'captured' | 'refunded'): string => `
  select ${receiptSummariesTable.columns} from receipt_summaries
  where bucket = $1 and merchant_id = $2 and ${kind}_at >= $3 and (${kind}_at, receipt_id) < ($4, $5) and ${kind}_at > 0
  order by ${kind}_at desc, receipt_id desc limit $6`

const pages = {
  time: sql`${pageBy('')}`,
  captured: sql`${pageByTimeOf('captured')}`,
  refunded: sql`${pageByTimeOf('refunded')}`,
  status: sql`${pageBy('and status = $7')}`,
  card: sql`${pageBy(`and card_id = $7 and card_id <> ''`)}`,
  customer: sql`${pageBy(`and customer = $7 and customer <> '""'`)}`,
  amount: sql`${pageBy('and amount_tiyin = $7')}`,
  order: sql`
    select ${receiptSummariesTable.names.map((name) => `s.${name}`).join(', ')}
    from receipt_orders as o join receipt_summaries as s on s.bucket = o.bucket and s.receipt_id = o.receipt_id
    where o.bucket = $1 and o.merchant_id = $2 and o.value = $7 and o.created_at >= $3 and (o.created_at, o.receipt_id) < ($4, $5)
    order by o.created_at desc, o.receipt_id desc limit $6`,
} as const

export function listReceiptSummaries({ bucket, merchantId, from, to, by, after, count }: SummaryPageQuery): Read<ReceiptSummary[]> {
  const isContinued = after !== null && after.at < to
  const range = [bucket, merchantId, from, isContinued ? after.at : to, isContinued ? after.id : '', count]
  const map = (rows: readonly Row[]): ReceiptSummary[] => rows.map(receiptSummariesTable.fromRow)
  return { statement: pages[by.key], values: 'value' in by ? [...range, toStored(by)] : range, map }
}

function toStored(by: Extract<SummaryKey, { readonly value: unknown }>): string | number {
  return by.key === 'customer' || by.key === 'order' ? quote(by.value) : by.value
}

/** A range of time of one merchant, unix milliseconds: from `from` to before `to`. */
export interface SummaryRange {
  readonly bucket: number
  readonly merchantId: string
  readonly from: number
  readonly to: number
}

/** How many payments, and how much. */
export interface MoneyCount {
  readonly count: number
  readonly tiyin: number
}

const ofMerchant = 'bucket = $1 and merchant_id = $2'
// As above.
const sumOf = (kind: 'captured' | 'refunded'): string => `
  select count(*) as count, cast(coalesce(sum(${kind}_tiyin), 0) as bigint) as tiyin from receipt_summaries
  where ${ofMerchant} and ${kind}_at >= $3 and ${kind}_at < $4 and ${kind}_at > 0`
const sums = { captured: sql`${sumOf('captured')}`, refunded: sql`${sumOf('refunded')}` } as const

/** What was debited, or returned, in a range of time: one range of an index that has the amounts. */
export function sumSummaries(kind: 'captured' | 'refunded', { bucket, merchantId, from, to }: SummaryRange): Read<MoneyCount> {
  return {
    statement: sums[kind],
    values: [bucket, merchantId, from, to],
    map: ([row]) => (row === undefined ? { count: 0, tiyin: 0 } : { count: readInteger(row, 'count'), tiyin: readInteger(row, 'tiyin') }),
  }
}

const selectOfStatus = sql`
  select count(*) as count, cast(coalesce(sum(tiyin), 0) as bigint) as tiyin from (
    select case when captured_tiyin > 0 then captured_tiyin else amount_tiyin end as tiyin from receipt_summaries where ${ofMerchant} and status = $5 and created_at >= $3 and created_at < $4 limit $6) as newest`

/** How many receipts have a status, and their amounts (what was debited, once it was), of those created in a range of time; at most `rowsMax` are counted. */
export function sumSummariesOfStatus(
  status: ReceiptSummary['status'],
  { bucket, merchantId, from, to }: SummaryRange,
  rowsMax: number,
): Read<MoneyCount> {
  return {
    statement: selectOfStatus,
    values: [bucket, merchantId, from, to, status, rowsMax],
    map: ([row]) => (row === undefined ? { count: 0, tiyin: 0 } : { count: readInteger(row, 'count'), tiyin: readInteger(row, 'tiyin') }),
  }
}

const countBy = (at: string, condition: string): string => `
  select count(*) as count from (
    select 1 from receipt_summaries where ${ofMerchant} and ${at} >= $3 and ${at} < $4 ${condition} limit $5) as newest`
const counts = {
  time: sql`${countBy('created_at', '')}`,
  captured: sql`${countBy('captured_at', 'and captured_at > 0')}`,
  refunded: sql`${countBy('refunded_at', 'and refunded_at > 0')}`,
  status: sql`${countBy('created_at', 'and status = $6')}`,
} as const

/** How many rows `listReceiptSummaries` would return, at most `rowsMax`. For the keys of which there may be many. */
export function countSummaries(
  by: Extract<SummaryKey, { readonly key: keyof typeof counts }>,
  { bucket, merchantId, from, to }: SummaryRange,
  rowsMax: number,
): Read<number> {
  const values = [bucket, merchantId, from, to, rowsMax]
  return {
    statement: counts[by.key],
    values: 'value' in by ? [...values, by.value] : values,
    map: ([row]) => (row === undefined ? 0 : readInteger(row, 'count')),
  }
}
