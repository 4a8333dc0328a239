import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import { findOperation, listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { findReceipt, listReceipts, type ReceiptRow } from '../../store/receipts.ts'
import type { RequestContext } from '../request-context.ts'
import { TamperedRowError } from '../cards/find.ts'

import type { PaymentServices } from './dependencies.ts'

/**
 * Loads a receipt of the caller's merchant. Unknown receipts and those of another merchant or environment get the same error. An id whose
 * bucket is not the merchant's is unknown without a query.
 */
export async function loadReceipt(services: PaymentServices, receiptId: string, ctx: RequestContext): Promise<ReceiptRow> {
  const { bucket, merchantId } = ctx
  const receipt = bucketOfId(receiptId) === bucket ? await services.store.read(findReceipt({ bucket, merchantId, receiptId })) : null
  if (receipt === null) throw new RpcError('receiptNotFound')
  await assertReceiptMac(services, receipt, ctx.requestId)
  return receipt
}

/** A row with a wrong MAC was not written by this service and is never used. */
export async function assertReceiptMac({ mac, alarm }: PaymentServices, receipt: ReceiptRow, requestId: string): Promise<void> {
  if (await mac.hasValidMac(receipt)) return
  const { merchantId, receiptId } = receipt
  alarm('row_tampered', { merchantId, cardId: '', requestId, receiptId, table: 'receipts' })
  throw new RpcError('internalError', { data: requestId, cause: new TamperedRowError(`receipt ${receiptId} has a wrong MAC`) })
}

/**
 * The operations of a receipt. If one of them was not written by this service, or the current one, which the receipt names, is gone, nothing is decided
 * by any of them.
 */
export async function loadOperations({ store, operationRows, alarm }: PaymentServices, receipt: ReceiptRow): Promise<OperationRow[]> {
  const operations = await store.read(listOperations(receipt))
  for (const operation of operations) await operationRows.require(operation)
  const { requestId, merchantId, receiptId } = receipt
  if (requestId === '' || operations.some((operation) => operation.requestId === requestId)) return operations
  alarm('row_tampered', { merchantId, cardId: '', requestId: '', receiptId, table: operationsTable.name })
  throw new RpcError('internalError', { cause: new TamperedRowError(`the current operation of receipt ${receiptId} is gone`) })
}

/** One operation of a receipt, or null. */
export async function loadOperation(
  { store, operationRows }: PaymentServices,
  key: Pick<OperationRow, 'bucket' | 'merchantId' | 'receiptId' | 'requestId'>,
): Promise<OperationRow | null> {
  const operation = await store.read(findOperation(key))
  if (operation !== null) await operationRows.require(operation)
  return operation
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
  await Promise.all(receipts.map((receipt) => assertReceiptMac(services, receipt, requestId)))
  return receipts
}

/** The first millisecond of a day in UTC+5. */
export function startOfDay(timestamp: number): number {
  return Math.floor((timestamp + utcPlus5Ms) / dayMs) * dayMs - utcPlus5Ms
}

const utcPlus5Ms = 5 * 3_600_000
const dayMs = 24 * 3_600_000
