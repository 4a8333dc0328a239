import { receiptStates } from '@tessera/contract/receipt'
import type { ReceiptState } from '@tessera/contract/receipt'
import { bytes, integer, integerOrNull, quote, quoted, quotedOrNull, RowBroken, text, textOrNull, truth } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type {
  DuePlace,
  ListedReceipt,
  ReceiptChange,
  ReceiptChanged,
  ReceiptKey,
  ReceiptPageAsked,
  ReceiptPlace,
  ReceiptRow,
  ReceiptsAsked,
  Riders,
} from '../store.ts'
import { note, one, rows, undo } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { moveCardLock } from './card-locks.ts'
import { replaceCardAndCode } from './cards.ts'
import { keepOperations } from './operations.ts'
import { carry } from './riders.ts'

const columnList = [
  ...['bucket', 'receipt_id', 'merchant_id', 'state', 'version', 'mac', 'amount_tiyin', 'taken_tiyin', 'hold', 'description', 'detail'],
  ...['account', 'payer', 'error', 'card_id', 'masked_pan', 'card_expiry', 'one_time', 'network_ref', 'request_id', 'customer'],
  ...['created_at', 'pay_time', 'cancel_time', 'source_cancel', 'fiscal', 'unknown_since', 'flagged', 'due_at', 'looks'],
]
const columns = columnList.join(', ')

const insertRow = sql`insert into receipts (${columns}) values (${places(columnList.length)})`

/** Keeps a new receipt. */
export function* insertReceipt(ask: { receipt: ReceiptRow; riders: Riders }): Unit<'kept' | 'twin'> {
  return yield* carry(ask.riders, keepReceipt(ask.receipt, ask.riders), () => true)
}

function* keepReceipt(receipt: ReceiptRow, { audit }: Riders): Unit<'kept'> {
  yield* rows(insertRow, receiptValues(receipt))
  yield* note(audit)
  return 'kept'
}

const replaceRow = sql`
  update receipts set ${columnList
    .slice(3)
    .map((column, at) => `${column} = $${at + 4}`)
    .join(', ')}
  where bucket = $1 and receipt_id = $2 and merchant_id = $3 and version = $${columnList.length + 1}
  returning version`

/** Moves a receipt on, with its operations, the lock on its card and the end of a one-time card: all of it or nothing. */
export function* changeReceipt(ask: { change: ReceiptChange; riders: Riders }): Unit<ReceiptChanged> {
  return yield* carry(ask.riders, change(ask.change, ask.riders), (changed) => changed === 'changed')
}

// Every unit takes its locks in this order, so that no two wait for each other: key, receipt, card lock, code, card.
function* change({ next, operations, cardLock, card }: ReceiptChange, { audit }: Riders): Unit<Exclude<ReceiptChanged, 'twin'>> {
  const replaced = yield* one(replaceRow, [...receiptValues(next), next.version - 1])
  if (replaced === null) return yield* undone('moved')
  yield* keepOperations(operations)
  if (cardLock !== null && !(yield* moveCardLock(next, cardLock))) return yield* undone('cardLocked')
  if (card !== null && !(yield* replaceCardAndCode(card))) return yield* undone('moved')
  yield* note(audit)
  return 'changed'
}

function* undone<T>(answer: T): Unit<T> {
  yield* undo()
  return answer
}

const selectRow = sql`select ${columns} from receipts where bucket = $1 and receipt_id = $2 and merchant_id = $3`

export function findReceipt(key: ReceiptKey): Read<ReceiptRow | null> {
  return {
    statement: selectRow,
    values: [key.bucket, key.receiptId, key.merchantId],
    tell: ([row]) => (row === undefined ? null : tellReceipt(row)),
  }
}

/** The same, and a row that cannot be read as its place. */
export function lookAtReceipt(key: ReceiptKey): Read<ListedReceipt | null> {
  return { ...findReceipt(key), tell: ([row]) => (row === undefined ? null : tellListed(row)) }
}

const selectNewest = sql`
  select ${columns} from receipts where bucket = $1 and merchant_id = $2 and created_at >= $3 and created_at < $4
  order by created_at desc, receipt_id desc limit $5 offset $6`

/** Newest first by (createdAt, receiptId), created from `from` to before `to`: a range of `receipts_newest`, whatever the offset. */
export function listReceipts(ask: ReceiptsAsked): Read<ReceiptRow[]> {
  return {
    statement: selectNewest,
    values: [ask.bucket, ask.merchantId, ask.from, ask.to, ask.count, ask.offset],
    tell: (found) => found.map(tellReceipt),
  }
}

const selectPage = sql`
  select ${columns} from receipts where bucket = $1 and merchant_id = $2 and created_at >= $3 and (created_at, receipt_id) < ($4, $5)
  order by created_at desc, receipt_id desc limit $6`

const selectPageInState = sql`
  select ${columns} from receipts
  where bucket = $1 and merchant_id = $2 and state = $7 and created_at >= $3 and (created_at, receipt_id) < ($4, $5)
  order by created_at desc, receipt_id desc limit $6`

/** A page of a merchant's receipts, newest first: a range of `receipts_newest`, or of `receipts_state`, however far behind. */
export function listReceiptPage({ bucket, merchantId, from, to, state, after, count }: ReceiptPageAsked): Read<ListedReceipt[]> {
  const isBehind = after !== null && after.at < to
  const values = [bucket, merchantId, from, isBehind ? after.at : to, isBehind ? after.id : '', count]
  const tell = (found: readonly Row[]): ListedReceipt[] => found.map(tellListed)
  return state === null ? { statement: selectPage, values, tell } : { statement: selectPageInState, values: [...values, state], tell }
}

const selectDue = sql`
  select ${columns} from receipts where due_at <= $1 and (due_at, receipt_id) > ($3, $4) order by due_at, receipt_id limit $2`

/** Receipts that the background has to look at by `now`, longest due first. */
export function listDueReceipts(now: number, count: number, { dueAt, receiptId }: DuePlace = first): Read<ListedReceipt[]> {
  return { statement: selectDue, values: [now, count, dueAt, receiptId], tell: (found) => found.map(tellListed) }
}

const selectAll = sql`
  select ${columns} from receipts where (bucket, receipt_id) > ($2, $3) order by bucket, receipt_id limit $1`

/** Receipts of all merchants, as a range of their own key. */
export function listAllReceipts(count: number, { bucket, receiptId }: ReceiptPlace): Read<ListedReceipt[]> {
  return { statement: selectAll, values: [count, bucket, receiptId], tell: (found) => found.map(tellListed) }
}

const first: DuePlace = { dueAt: Number.MIN_SAFE_INTEGER, receiptId: '' }

function tellListed(row: Row): ListedReceipt {
  try {
    return tellReceipt(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    const key = { bucket: integer(row, 'bucket'), merchantId: text(row, 'merchant_id'), receiptId: text(row, 'receipt_id') }
    const createdAt = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(row['created_at']), Number.MAX_SAFE_INTEGER))
    return { ...key, brokenAt: err.column, dueAt: row['due_at'] === null ? null : Number(row['due_at']), createdAt }
  }
}

/** The values of a receipt's columns; what the merchant or the network said in their own words is quoted. */
function receiptValues(receipt: ReceiptRow): Value[] {
  return [
    ...[receipt.bucket, receipt.receiptId, receipt.merchantId, receipt.state, receipt.version, receipt.mac],
    ...[receipt.amountTiyin, receipt.takenTiyin, Number(receipt.hold), quote(receipt.description), receipt.detail],
    ...[receipt.account, receipt.payer, receipt.error, receipt.cardId, receipt.maskedPan, receipt.cardExpiry],
    ...[Number(receipt.oneTime), quote(receipt.networkRef), receipt.requestId],
    ...[receipt.customer === null ? null : quote(receipt.customer), receipt.createdAt, receipt.payTime, receipt.cancelTime],
    ...[receipt.sourceCancel, receipt.fiscal, receipt.unknownSince, Number(receipt.flagged), receipt.dueAt, receipt.looks],
  ]
}

function tellReceipt(row: Row): ReceiptRow {
  return {
    bucket: integer(row, 'bucket'),
    receiptId: text(row, 'receipt_id'),
    merchantId: text(row, 'merchant_id'),
    state: tellState(row),
    version: integer(row, 'version'),
    mac: bytes(row, 'mac'),
    amountTiyin: integer(row, 'amount_tiyin'),
    takenTiyin: integer(row, 'taken_tiyin'),
    hold: truth(row, 'hold'),
    description: quoted(row, 'description'),
    detail: textOrNull(row, 'detail'),
    account: text(row, 'account'),
    payer: textOrNull(row, 'payer'),
    error: textOrNull(row, 'error'),
    cardId: text(row, 'card_id'),
    maskedPan: text(row, 'masked_pan'),
    cardExpiry: text(row, 'card_expiry'),
    oneTime: truth(row, 'one_time'),
    networkRef: quoted(row, 'network_ref'),
    requestId: text(row, 'request_id'),
    customer: quotedOrNull(row, 'customer'),
    createdAt: integer(row, 'created_at'),
    payTime: integer(row, 'pay_time'),
    cancelTime: integer(row, 'cancel_time'),
    sourceCancel: textOrNull(row, 'source_cancel'),
    fiscal: textOrNull(row, 'fiscal'),
    unknownSince: integer(row, 'unknown_since'),
    flagged: truth(row, 'flagged'),
    dueAt: integerOrNull(row, 'due_at'),
    looks: integer(row, 'looks'),
  }
}

function tellState(row: Row): ReceiptState {
  const state = states.find((each) => each === integer(row, 'state'))
  if (state === undefined) throw new RowBroken('state')
  return state
}

const states = Object.values(receiptStates)
