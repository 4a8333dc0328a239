import type { CardKey } from './cards.ts'
import { text, quotedText, oneOf, integer, timestamp, rowMac, coveredIfSet } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Row, sql, withMany } from './statement.ts'
import { type Read, type Transaction, execute } from './transaction.ts'

/** A money movement at the card network. */
export type MovementKind = 'authorise' | 'hold' | 'capture' | 'cancelHold' | 'refund' | 'reverse'

/** An operation of the network or of the merchant's own endpoint. */
export type OperationKind = MovementKind | 'merchantPerform' | 'merchantCancel'

export const movementKinds = ['authorise', 'hold', 'capture', 'cancelHold', 'refund', 'reverse'] as const

const operationKinds = [...movementKinds, 'merchantPerform', 'merchantCancel'] as const

// prettier-ignore
export const operationsTable = table('operations', {
  bucket:      integer().key(),
  receiptId:   text().key(),
  requestId:   text().key(),
  merchantId:  text(),
  kind:        oneOf(...operationKinds),
  amountTiyin: integer(),
  state:       oneOf('asked', 'approved', 'declined', 'unknown'),
  networkRef:  quotedText(),
  reason:      text(),
  rawCode:     quotedText(),                      // the network's own code, unchanged; for a merchant's endpoint its error as JSON
  requestedAt: timestamp().named('asked_at'),
  resolvedAt:  timestamp().named('settled_at'),
  cardId:      text(),                            // of an authorization or hold: the card that was to pay; '' for other kinds and in old rows
  network:     text().coveredAs(coveredIfSet('network')), // of an authorization or hold: the adapter of its network; '' for other kinds and in old rows
  trace:       text().coveredAs(coveredIfSet('trace')),   // the number of the call at networks that have the service draw one; '' at others
  mac:         rowMac(),
})

/** One request to the network or to the merchant's endpoint, durable before it is sent. The network knows it by our requestId. */
export type OperationRow = RowOf<typeof operationsTable>

const replaceExisting = `on conflict (bucket, receipt_id, request_id) do update ${operationsTable.replaceSql}`

const upsertRow = withMany(sql`${operationsTable.insertSql} ${replaceExisting}`, `${operationsTable.insertRowsSql} ${replaceExisting}`, {
  columns: operationsTable.names.length,
})

/** Inserts operations, or replaces those with the same requestId. The receipt's version, checked before, decides between concurrent changes. */
export function* upsertOperations(operations: readonly OperationRow[]): Transaction<void> {
  for (const operation of operations) yield* execute(upsertRow, operationsTable.toValues(operation))
}

const selectOne = sql`
  select ${operationsTable.columns} from operations where bucket = $1 and receipt_id = $2 and merchant_id = $3 and request_id = $4`

export function findOperation(key: Pick<OperationRow, 'bucket' | 'receiptId' | 'merchantId' | 'requestId'>): Read<OperationRow | null> {
  return {
    statement: selectOne,
    values: [key.bucket, key.receiptId, key.merchantId, key.requestId],
    map: ([row]) => (row === undefined ? null : operationsTable.fromRow(row)),
  }
}

const selectAll = sql`
  select ${operationsTable.columns} from operations where bucket = $1 and receipt_id = $2 and merchant_id = $3 order by asked_at, request_id`

/** All operations of a receipt, oldest first. */
export function listOperations(key: Pick<OperationRow, 'bucket' | 'receiptId' | 'merchantId'>): Read<OperationRow[]> {
  return { statement: selectAll, values: [key.bucket, key.receiptId, key.merchantId], map: (rows) => rows.map(operationsTable.fromRow) }
}

/** Where a page of `listNetworkOperations` begins: the key of the last row before it. */
export type NetworkOperationKey = Pick<OperationRow, 'bucket' | 'receiptId' | 'requestId'>

export interface NetworkOperationRange {
  /** Unix milliseconds. */
  readonly from: number
  readonly to: number
  /** Null: the first page. */
  readonly after: NetworkOperationKey | null
  readonly count: number
}

const selectInProgress = sql`
  select ${operationsTable.columns} from operations
  where (bucket, receipt_id, request_id) > ($1, $2, $3) and asked_at < $4 and (settled_at >= $5 or settled_at = 0)
    and kind in ('authorise', 'hold', 'capture', 'cancelHold', 'refund', 'reverse')
  order by bucket, receipt_id, request_id limit $6`

/**
 * The money movements that were in progress in a range of time: requested before its end and not resolved before its beginning. No index has their times,
 * so all pages together read the table once, in the order of its key: for `Store.scan`. The map gets the row as it is stored, which may be unreadable.
 */
export function listNetworkOperations<T>({ from, to, after, count }: NetworkOperationRange, map: (row: Row) => T): Read<T[]> {
  const key = after === null ? [-1, '', ''] : [after.bucket, after.receiptId, after.requestId]
  return { statement: selectInProgress, values: [...key, to, from, count], map: (rows) => rows.map(map) }
}

// The condition of the partial index, so that it is used.
const selectDeclined = sql`
  select ${operationsTable.columns} from operations where bucket = $1 and card_id = $2 and state = 'declined' and card_id <> '' and merchant_id = $3
  order by asked_at desc, request_id desc limit $4`

/** The declined authorizations and holds of a card, newest first. */
export function listDeclinedOperations({ bucket, cardId, merchantId }: CardKey, count: number): Read<OperationRow[]> {
  return { statement: selectDeclined, values: [bucket, cardId, merchantId, count], map: (rows) => rows.map(operationsTable.fromRow) }
}
