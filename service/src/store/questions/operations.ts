import { integer, quote, quoted, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { CardKey, OperationRow, ReceiptKey } from '../store.ts'
import { rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columnList = [
  ...['bucket', 'receipt_id', 'request_id', 'merchant_id', 'kind', 'amount_tiyin', 'state', 'network_ref', 'reason', 'raw_code'],
  ...['asked_at', 'settled_at', 'card_id'],
]
const columns = columnList.join(', ')

const upsertRow = sql`
  insert into operations (${columns}) values (${places(columnList.length)})
  on conflict (bucket, receipt_id, request_id) do update set ${columnList
    .slice(3)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`

/** Keeps operations, each new or in place of the one with its requestId. The receipt's version says who may. */
export function* keepOperations(operations: readonly OperationRow[]): Unit<void> {
  for (const operation of operations) yield* rows(upsertRow, operationValues(operation))
}

const selectOne = sql`
  select ${columns} from operations where bucket = $1 and receipt_id = $2 and merchant_id = $3 and request_id = $4`

export function findOperation(key: ReceiptKey & { readonly requestId: string }): Read<OperationRow | null> {
  return {
    statement: selectOne,
    values: [key.bucket, key.receiptId, key.merchantId, key.requestId],
    tell: ([row]) => (row === undefined ? null : tellOperation(row)),
  }
}

const selectAll = sql`
  select ${columns} from operations where bucket = $1 and receipt_id = $2 and merchant_id = $3 order by asked_at, request_id`

export function listOperations(key: ReceiptKey): Read<OperationRow[]> {
  return { statement: selectAll, values: [key.bucket, key.receiptId, key.merchantId], tell: (found) => found.map(tellOperation) }
}

// The words of the partial index, so that it is used.
const selectRefused = sql`
  select ${columns} from operations where bucket = $1 and card_id = $2 and state = 'declined' and card_id <> '' and merchant_id = $3
  order by asked_at desc, request_id desc limit $4`

/** The payments that were refused to a card, newest first. */
export function listRefusedOfCard({ bucket, cardId, merchantId }: CardKey, count: number): Read<OperationRow[]> {
  return { statement: selectRefused, values: [bucket, cardId, merchantId, count], tell: (found) => found.map(tellOperation) }
}

/** What the network said is kept quoted. */
function operationValues(operation: OperationRow): Value[] {
  return [
    ...[operation.bucket, operation.receiptId, operation.requestId, operation.merchantId, operation.kind, operation.amountTiyin],
    ...[operation.state, quote(operation.networkRef), operation.reason, quote(operation.rawCode)],
    ...[operation.askedAt, operation.settledAt, operation.cardId],
  ]
}

function tellOperation(row: Row): OperationRow {
  return {
    bucket: integer(row, 'bucket'),
    receiptId: text(row, 'receipt_id'),
    requestId: text(row, 'request_id'),
    merchantId: text(row, 'merchant_id'),
    kind: word(row, 'kind', operationKinds),
    amountTiyin: integer(row, 'amount_tiyin'),
    state: word(row, 'state', ['asked', 'approved', 'declined', 'unknown']),
    networkRef: quoted(row, 'network_ref'),
    reason: text(row, 'reason'),
    rawCode: quoted(row, 'raw_code'),
    askedAt: integer(row, 'asked_at'),
    settledAt: integer(row, 'settled_at'),
    cardId: text(row, 'card_id'),
  }
}

export const movementKinds = ['authorise', 'hold', 'capture', 'cancelHold', 'refund', 'reverse'] as const
const operationKinds = [...movementKinds, 'merchantPerform', 'merchantCancel'] as const
