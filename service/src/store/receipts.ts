import { currencyUzs, type ReceiptState, receiptStates } from '@tessera/contract/receipt'
import { type CardKey, type CardRow, replaceCardAndVerification } from './cards.ts'
import { text, quotedText, integer, timestamp, boolean, bytes, rowMac, checked, RowBroken, readText, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { AuditEntry } from './audit.ts'
import { type TransactionExtras, withExtras } from './extras.ts'
import { type OperationRow, upsertOperations } from './operations.ts'
import { isOwnedBy, type Row, sql } from './statement.ts'
import {
  type DuplicateRequest,
  type Read,
  type Transaction,
  insertRow,
  rollback,
  runOne,
  updateRow,
  writeAudit,
  execute,
} from './transaction.ts'

export interface ReceiptKey {
  readonly bucket: number
  readonly merchantId: string
  readonly receiptId: string
}

export interface ReceiptPageQuery {
  readonly bucket: number
  readonly merchantId: string
  readonly from: number
  readonly to: number
  /** Null for every state. */
  readonly state: ReceiptState | null
  readonly after: { readonly at: number; readonly id: string } | null
  readonly count: number
}

/** The last receipt of a page of a list by key. */
export type ReceiptCursor = Pick<ReceiptKey, 'bucket' | 'receiptId'>

/** The last receipt of a page of the list of due receipts. */
export interface DueReceiptCursor {
  readonly dueAt: number | null
  readonly receiptId: string
}

/** In a list, a receipt whose row is broken: its ids and the column that cannot be read. */
export interface BrokenReceipt extends ReceiptKey, DueReceiptCursor {
  /** The stored time, limited to safe integers: a list by time continues after it. */
  readonly createdAt: number
  readonly brokenAt: string
}

/** A broken row must not hide the other rows of a list. */
export type ListedReceipt = ReceiptRow | BrokenReceipt

// prettier-ignore
export const receiptsTable = table('receipts', {
  bucket:            integer().key(),
  receiptId:         text().key(),
  merchantId:        text().owner(),
  state:             checked(integer(), isReceiptState),
  version:           integer().versionOf('receiptId'), // from 1; each change adds one
  mac:               rowMac(
    'bucket', 'merchantId', 'receiptId', 'version', 'state', 'amountTiyin', 'takenTiyin', { constant: currencyUzs },
    'hold', 'description', 'detail', 'account', 'payer', 'error', 'cardId', 'maskedPan', 'cardExpiry', 'oneTime',
    'networkRef', 'requestId', 'customer', 'createdAt', 'payTime', 'cancelTime', 'sourceCancel', 'fiscal',
    'unknownSince', 'flagged', 'dueAt', 'reconcileAttempts', 'operationsDigest',
  ),
  amountTiyin:       integer(),
  takenTiyin:        integer(),                 // the amount debited or held; 0 before
  hold:              boolean(),
  description:       quotedText(),
  detail:            text().nullable(),         // JSON, as given
  account:           text(),                    // JSON array of {name, title, value, main}
  payer:             text().nullable(),         // JSON, as given
  error:             text().nullable(),         // JSON {code, message, reason} of the last refused payment
  cardId:            text(),                    // '' before a payment
  maskedPan:         text(),
  cardExpiry:        text(),
  oneTime:           boolean(),                 // whether an approval removes the token
  networkRef:        quotedText(),              // of the authorization; capture, refund and reversal refer to it
  requestId:         text(),                    // of the operation in progress, or of the last one; '' before
  customer:          quotedText().nullable(),
  createdAt:         timestamp(),
  payTime:           timestamp(),               // 0 until paid
  cancelTime:        timestamp(),
  sourceCancel:      text().nullable(),
  fiscal:            text().nullable(),         // JSON, as given
  unknownSince:      timestamp(),               // since when the receipt is in state 20; 0 otherwise
  flagged:           boolean(),                 // for an operator: 24 h in state 20
  dueAt:             timestamp().nullable(),    // when the receipt worker processes it next; null: never. A lease while a call is in progress.
  reconcileAttempts: integer().named('looks'),  // attempts of the receipt worker in this state, for its backoff
  operationsDigest:  bytes().coveredAs((digest) => (digest.length === 0 ? [] : [digest])), // of its operations' MACs (store/operations-digest.ts); empty in rows from before
})

export type ReceiptRow = RowOf<typeof receiptsTable>

export interface ReceiptUpdate extends TransactionExtras {
  readonly audit: AuditEntry
  /** Replaces version `receipt.version - 1`. */
  readonly receipt: ReceiptRow
  /** Inserted, or replacing the operation with the same requestId. */
  readonly operations: readonly OperationRow[]
  /** One-time cards are locked while a payment is open. */
  readonly cardLock: CardLockMove | null
  /** The one-time card, which an approval removes. */
  readonly card: CardRemoval | null
}

/** The next version of a card, and the audit entry of its removal. */
export interface CardRemoval {
  readonly card: CardRow
  readonly audit: AuditEntry
}

// prettier-ignore
export const cardLocksTable = table('card_locks', {
  bucket:     integer().key(),
  cardId:     text().key(),
  merchantId: text(),
  receiptId:  text(),          // the payment that uses the one-time card
  mac:        rowMac(),
})

export type CardLockRow = RowOf<typeof cardLocksTable>

export interface CardLockMove {
  readonly lock: CardLockRow
  readonly move: 'take' | 'release'
}

/** `conflict`: another change of the receipt or the card came first. `cardLocked`: another payment uses the one-time card. In both cases nothing was written. */
export type ReceiptUpdateResult = 'updated' | 'conflict' | 'cardLocked'

export interface ReceiptListQuery {
  readonly bucket: number
  readonly merchantId: string
  readonly from: number
  readonly to: number
  readonly count: number
  readonly offset: number
}

/** A receipt in the timeline of its card. */
export interface CardReceipt {
  readonly receiptId: string
  readonly state: number
  readonly amountTiyin: number
  readonly createdAt: number
  readonly payTime: number
}

export interface InsertReceipt extends TransactionExtras {
  readonly receipt: ReceiptRow
  readonly audit: AuditEntry
}

/** Inserts a new receipt. */
export function* insertReceipt({ receipt, audit, ...extras }: InsertReceipt): Transaction<'inserted' | DuplicateRequest> {
  return yield* withExtras(extras, insert({ receipt, audit }), () => true)
}

function* insert({ receipt, audit }: InsertReceipt): Transaction<'inserted'> {
  yield* insertRow(receiptsTable, receipt)
  yield* writeAudit(audit)
  return 'inserted'
}

/** Replaces a receipt by its next version, with its operations, the lock on its card and the removal of a one-time card. */
export function* updateReceipt({ events, idempotency, ...change }: ReceiptUpdate): Transaction<ReceiptUpdateResult | DuplicateRequest> {
  return yield* withExtras({ events, idempotency }, update(change), (result) => result === 'updated')
}

// Every transaction takes its locks in this order, so that no two deadlock: key, receipt, card lock, verification, card.
function* update({ receipt, operations, cardLock, card, audit }: ReceiptUpdate): Transaction<ReceiptUpdateResult> {
  if (!(yield* updateRow(receiptsTable, receipt))) return yield* rollback('conflict')
  yield* upsertOperations(operations)
  if (cardLock !== null && !(yield* moveCardLock(cardLock))) return yield* rollback('cardLocked')
  if (card !== null && !(yield* replaceCardAndVerification(card.card))) return yield* rollback('conflict')
  if (card !== null) yield* writeAudit(card.audit)
  yield* writeAudit(audit)
  return 'updated'
}

const selectRow = sql`select ${receiptsTable.columns} from receipts where bucket = $1 and receipt_id = $2 and ${isOwnedBy('$3')}`

export function findReceipt(key: ReceiptKey): Read<ReceiptRow | null> {
  return {
    statement: selectRow,
    values: [key.bucket, key.receiptId, key.merchantId],
    map: ([row]) => (row === undefined ? null : receiptsTable.fromRow(row)),
  }
}

/** The same; a row that cannot be read is returned as `BrokenReceipt`. */
export function findReceiptOrBroken(key: ReceiptKey): Read<ListedReceipt | null> {
  return { ...findReceipt(key), map: ([row]) => (row === undefined ? null : toListed(row)) }
}

const selectNewest = sql`
  select ${receiptsTable.columns} from receipts where bucket = $1 and merchant_id = $2 and created_at >= $3 and created_at < $4
  order by created_at desc, receipt_id desc limit $5 offset $6`

/** Newest first by (createdAt, receiptId), created from `from` to before `to`: a range of `receipts_newest`, whatever the offset. */
export function listReceipts(query: ReceiptListQuery): Read<ReceiptRow[]> {
  return {
    statement: selectNewest,
    values: [query.bucket, query.merchantId, query.from, query.to, query.count, query.offset],
    map: (rows) => rows.map(receiptsTable.fromRow),
  }
}

const selectPage = sql`
  select ${receiptsTable.columns} from receipts where bucket = $1 and merchant_id = $2 and created_at >= $3 and (created_at, receipt_id) < ($4, $5)
  order by created_at desc, receipt_id desc limit $6`

const selectPageInState = sql`
  select ${receiptsTable.columns} from receipts
  where bucket = $1 and merchant_id = $2 and state = $7 and created_at >= $3 and (created_at, receipt_id) < ($4, $5)
  order by created_at desc, receipt_id desc limit $6`

/** A page of a merchant's receipts, newest first: a range of the index `receipts_newest` or `receipts_state`, however deep the page is. */
export function listReceiptPage({ bucket, merchantId, from, to, state, after, count }: ReceiptPageQuery): Read<ListedReceipt[]> {
  const isContinued = after !== null && after.at < to
  const values = [bucket, merchantId, from, isContinued ? after.at : to, isContinued ? after.id : '', count]
  const map = (rows: readonly Row[]): ListedReceipt[] => rows.map(toListed)
  return state === null ? { statement: selectPage, values, map } : { statement: selectPageInState, values: [...values, state], map }
}

const selectDue = sql`
  select ${receiptsTable.columns} from receipts where due_at <= $1 and (due_at, receipt_id) > ($3, $4) order by due_at, receipt_id limit $2`

/** Receipts of all merchants that the background worker has to check by `now`, longest due first. */
export function listDueReceipts(now: number, count: number, { dueAt, receiptId }: DueReceiptCursor = first): Read<ListedReceipt[]> {
  return { statement: selectDue, values: [now, count, dueAt, receiptId], map: (rows) => rows.map(toListed) }
}

// Not `exists`, for which PostgreSQL may read all operations into a hash table.
const selectDueInProgress = sql`
  select ${receiptsTable.columns} from receipts where due_at <= $1 and (due_at, receipt_id) > ($3, $4) and state <> ${receiptStates.created}
    and (state <> ${receiptStates.held} or (
      select case when o.kind = 'capture' then o.state end from operations o
      where o.bucket = receipts.bucket and o.receipt_id = receipts.receipt_id and o.request_id = receipts.request_id) in ('asked', 'unknown'))
  order by due_at, receipt_id limit $2`

/** The same without those for which only a time has passed: unpaid receipts, and holds without a pending capture. */
export function listDueInProgress(now: number, count: number, { dueAt, receiptId }: DueReceiptCursor = first): Read<ListedReceipt[]> {
  return { statement: selectDueInProgress, values: [now, count, dueAt, receiptId], map: (rows) => rows.map(toListed) }
}

const selectAll = sql`
  select ${receiptsTable.columns} from receipts where (bucket, receipt_id) > ($2, $3) order by bucket, receipt_id limit $1`

/** Receipts of all merchants, in the order of their keys. */
export function listAllReceipts(count: number, { bucket, receiptId }: ReceiptCursor): Read<ListedReceipt[]> {
  return { statement: selectAll, values: [count, bucket, receiptId], map: (rows) => rows.map(toListed) }
}

/** The states of the partial index `receipts_open`. Each query repeats its condition, because SQLite uses a partial index for nothing else. */
const openStates = [1, 2, 3, 5, 6, 20, 21] as const satisfies readonly ReceiptState[]
const isOpenSql = 'state not in (0, 4, 50)'

export interface OpenReceiptCounts {
  /** By state, each at most `countedReceiptsMax`. */
  readonly byState: ReadonlyMap<number, number>
  readonly flagged: number
  /** Since when the oldest receipt in state unknown (20) is unknown; null without one. */
  readonly oldestUnknownAt: number | null
  /** When the receipt that is longest due became due; null when none is. */
  readonly oldestDueAt: number | null
}

/** Counting stops here, so that the query stays short however many receipts there are. */
export const countedReceiptsMax = 100_000

const selectCounts = sql`${[
  ...openStates.map(
    (state) => `select 'state' as what, ${state} as state, count(*) as receipts, min(unknown_since) as since
      from (select unknown_since from receipts where ${isOpenSql} and state = ${state} order by unknown_since limit ${countedReceiptsMax}) as s${state}`,
  ),
  `select 'flagged', 0, count(*), 0 from (select receipt_id from receipts where flagged = 1 limit ${countedReceiptsMax}) as f`,
  `select 'due', 0, count(*), min(due_at) from (select due_at from receipts where due_at <= $1 order by due_at limit 1) as d`,
].join(' union all ')}`

/** How many receipts of all merchants are in each open state, for gauges. */
export function countOpenReceipts(now: number): Read<OpenReceiptCounts> {
  return {
    statement: selectCounts,
    values: [now],
    map(rows) {
      const count = (what: string, state: number) =>
        rows.find((row) => row['what'] === what && readInteger(row, 'state') === state) ?? { receipts: 0, since: null }
      const since = (row: Row) => (Number(row['receipts']) === 0 ? null : readInteger(row, 'since'))
      return {
        byState: new Map(openStates.map((state) => [state, readInteger(count('state', state), 'receipts')])),
        flagged: readInteger(count('flagged', 0), 'receipts'),
        oldestUnknownAt: since(count('state', receiptStates.unknown)),
        oldestDueAt: since(count('due', 0)),
      }
    },
  }
}

/** The last receipt of a page of the list of open receipts. */
export interface OpenReceiptCursor {
  readonly unknownSince: number
  readonly receiptId: string
}

const selectOpen = sql`
  select ${receiptsTable.columns} from receipts where ${isOpenSql} and state = $1 and (unknown_since, receipt_id) > ($3, $4)
  order by unknown_since, receipt_id limit $2`

/** Receipts of all merchants in one open state; in state unknown (20) the longest unknown first. */
export function listOpenReceipts(
  state: ReceiptState,
  count: number,
  { unknownSince, receiptId }: OpenReceiptCursor = { unknownSince: -1, receiptId: '' },
): Read<ListedReceipt[]> {
  return { statement: selectOpen, values: [state, count, unknownSince, receiptId], map: (rows) => rows.map(toListed) }
}

const selectFlagged = sql`select ${receiptsTable.columns} from receipts where flagged = 1 and receipt_id > $2 order by receipt_id limit $1`

/** Receipts of all merchants that are flagged for an operator. */
export function listFlaggedReceipts(count: number, afterReceiptId: string): Read<ListedReceipt[]> {
  return { statement: selectFlagged, values: [count, afterReceiptId], map: (rows) => rows.map(toListed) }
}

const selectById = sql`select ${receiptsTable.columns} from receipts where bucket = $1 and receipt_id = $2`

/** A receipt of any merchant, for operators. */
export function findReceiptById(bucket: number, receiptId: string): Read<ListedReceipt | null> {
  return { statement: selectById, values: [bucket, receiptId], map: ([row]) => (row === undefined ? null : toListed(row)) }
}

const first: DueReceiptCursor = { dueAt: Number.MIN_SAFE_INTEGER, receiptId: '' }

function toListed(row: Row): ListedReceipt {
  try {
    return receiptsTable.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    const key = { bucket: readInteger(row, 'bucket'), merchantId: readText(row, 'merchant_id'), receiptId: readText(row, 'receipt_id') }
    const createdAt = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(row['created_at']), Number.MAX_SAFE_INTEGER))
    return { ...key, brokenAt: err.column, dueAt: row['due_at'] === null ? null : Number(row['due_at']), createdAt }
  }
}

function isReceiptState(stored: number): stored is ReceiptState {
  return states.has(stored)
}

const states: ReadonlySet<number> = new Set(Object.values(receiptStates))

const selectReceipts = sql`
  select receipt_id, state, amount_tiyin, created_at, pay_time from receipts where bucket = $1 and card_id = $2 and card_id <> ''
    and merchant_id = $3 order by created_at desc, receipt_id desc limit $4`

/** The receipts that a card was used for, newest first. */
export function listReceiptsOfCard({ bucket, cardId, merchantId }: CardKey, count: number): Read<CardReceipt[]> {
  return {
    statement: selectReceipts,
    values: [bucket, cardId, merchantId, count],
    map: (found) =>
      found.map((row) => ({
        receiptId: readText(row, 'receipt_id'),
        state: readInteger(row, 'state'),
        amountTiyin: readInteger(row, 'amount_tiyin'),
        createdAt: readInteger(row, 'created_at'),
        payTime: readInteger(row, 'pay_time'),
      })),
  }
}

// A receipt that already has the lock may take it again.
const takeLock = sql`
  ${cardLocksTable.insertSql}
  on conflict (bucket, card_id) do update set receipt_id = excluded.receipt_id
  where card_locks.merchant_id = excluded.merchant_id and card_locks.receipt_id = excluded.receipt_id and card_locks.mac = excluded.mac
  returning card_id`

const releaseLock = sql`delete from card_locks where bucket = $1 and card_id = $2 and merchant_id = $3 and receipt_id = $4`

/** Locks a card for a receipt, or releases it. False when another receipt has the lock, or the lock has another MAC than this one. Only the receipt that has it can release it. */
export function* moveCardLock({ lock, move }: CardLockMove): Transaction<boolean> {
  if (move === 'take') return (yield* runOne(takeLock, cardLocksTable.toValues(lock))) !== null
  yield* execute(releaseLock, [lock.bucket, lock.cardId, lock.merchantId, lock.receiptId])
  return true
}

const selectLock = sql`select ${cardLocksTable.columns} from card_locks where bucket = $1 and card_id = $2`

/** The lock of a one-time card, or null. */
export function findCardLock({ bucket, cardId }: Pick<CardKey, 'bucket' | 'cardId'>): Read<CardLockRow | null> {
  return { statement: selectLock, values: [bucket, cardId], map: ([row]) => (row === undefined ? null : cardLocksTable.fromRow(row)) }
}
