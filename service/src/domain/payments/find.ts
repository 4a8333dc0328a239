import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import { listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { findReceipt, listReceipts, type ReceiptRow } from '../../store/receipts.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { RequestContext } from '../request-context.ts'
import { TamperedRowError } from '../verified-rows.ts'

import type { PaymentServices } from './dependencies.ts'
import { operationsDigestOf } from '../../store/operations-digest.ts'

/**
 * Loads a receipt of the caller's merchant. Unknown receipts and those of another merchant or environment get the same error. An id whose
 * bucket is not the merchant's is unknown without a query.
 */
export async function loadReceipt(services: PaymentServices, receiptId: string, ctx: RequestContext): Promise<ReceiptRow> {
  const { bucket, merchantId } = ctx
  const receipt = bucketOfId(receiptId) === bucket ? await services.store.read(findReceipt({ bucket, merchantId, receiptId })) : null
  if (receipt === null) throw new RpcError('receiptNotFound')
  await services.rows.require(receipt, ctx.requestId)
  return receipt
}

/**
 * The operations of a receipt. If one of them was not written by this service, or they are not those that the receipt had when it was stored, nothing is
 * decided by any of them. Null: the receipt was changed since it was read.
 */
export async function loadOperations(services: PaymentServices, receipt: ReceiptRow): Promise<OperationRow[] | null> {
  const { store, operationRows, alarm } = services
  const operations = await store.read(listOperations(receipt))
  for (const operation of operations) await operationRows.require(operation)
  if (areOperationsOf(receipt, operations)) return operations
  const { merchantId, receiptId } = receipt
  if ((await store.read(findReceipt(receipt)))?.version !== receipt.version) return null
  alarm('row_tampered', { merchantId, cardId: '', requestId: '', receiptId, table: operationsTable.name })
  throw new RpcError('internalError', { cause: new TamperedRowError(`the operations of receipt ${receiptId} are not those that it had`) })
}

/** Whether these are the operations that a receipt had when it was stored: none is missing, older, or added. */
export function areOperationsOf({ operationsDigest, requestId }: ReceiptRow, operations: readonly OperationRow[]): boolean {
  if (operationsDigest.length > 0) return Buffer.compare(operationsDigest, operationsDigestOf(operations)) === 0
  // A receipt from before there were digests names its current operation only.
  return requestId === '' || operations.some((operation) => operation.requestId === requestId)
}

/** A receipt and its operations. The receipt is at least as new as they are. */
export function loadReceiptWithOperations(
  services: PaymentServices,
  receiptId: string,
  ctx: RequestContext,
): Promise<{ readonly receipt: ReceiptRow; readonly operations: readonly OperationRow[] }> {
  return retryOnConflict(async () => {
    const receipt = await loadReceipt(services, receiptId, ctx)
    const operations = await loadOperations(services, receipt)
    if (operations === null) return null
    return { receipt: receipt.operationsDigest.length > 0 ? receipt : await loadReceipt(services, receiptId, ctx), operations }
  })
}

export interface ReceiptPeriodQuery {
  /** At most 50. */
  readonly count: number
  /** At most 1000. */
  readonly offset: number
  /** Unix milliseconds, each taken as its whole day in UTC+5. */
  readonly from: number
  readonly to: number
}

/** Receipts of a range of days, both included, newest first. */
export async function loadReceiptList(services: PaymentServices, query: ReceiptPeriodQuery, ctx: RequestContext): Promise<ReceiptRow[]> {
  const { bucket, merchantId, requestId } = ctx
  const range = { from: startOfDay(query.from), to: startOfDay(query.to) + dayMs }
  if (range.from >= range.to) return []
  const { count, offset } = query
  const receipts = await services.store.read(listReceipts({ bucket, merchantId, ...range, count, offset }))
  await Promise.all(receipts.map(async (receipt) => services.rows.require(receipt, requestId)))
  return receipts
}

/** The first millisecond of a day in UTC+5. */
export function startOfDay(timestamp: number): number {
  return Math.floor((timestamp + utcPlus5Ms) / dayMs) * dayMs - utcPlus5Ms
}

const utcPlus5Ms = 5 * 3_600_000
const dayMs = 24 * 3_600_000
