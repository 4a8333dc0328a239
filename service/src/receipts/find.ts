import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import type { Asker } from '../cards/asker.ts'
import { RowTampered } from '../cards/find.ts'
import type { ReceiptRow } from '../store/store.ts'

import type { ReceiptTools } from './tools.ts'

/**
 * Finds a receipt of the asker's. One of another merchant, of another environment and of nobody are answered alike; an id whose bucket is
 * not the merchant's is unknown without a question to the store.
 */
export async function findReceipt(tools: ReceiptTools, receiptId: string, asker: Asker): Promise<ReceiptRow> {
  const { bucket, merchantId } = asker
  const receipt = bucketOfId(receiptId) === bucket ? await tools.store.findReceipt({ bucket, merchantId, receiptId }) : null
  if (receipt === null) throw new RpcError('receiptNotFound')
  await expectTrueReceipt(tools, receipt, asker.requestId)
  return receipt
}

/** A row that was not written by us is never answered from. */
export async function expectTrueReceipt({ mac, alarm }: ReceiptTools, receipt: ReceiptRow, requestId: string): Promise<void> {
  if (await mac.isTrue(receipt)) return
  const { merchantId, receiptId } = receipt
  alarm('row_tampered', { merchantId, cardId: '', requestId, receiptId })
  throw new RpcError('internalError', { data: requestId, cause: new RowTampered(`receipt ${receiptId} has a wrong MAC`) })
}
