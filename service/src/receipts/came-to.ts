import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { Asker } from '../cards/asker.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { findReceipt } from './find.ts'
import { isDeclineReason, refusalOf } from './life.ts'
import { merchantRefusalIn } from './merchant-said.ts'
import { readErrorRow } from './render.ts'
import type { ReceiptTools } from './tools.ts'

/** A call whose outcome nobody kept, and by what it asked the network. */
export interface AskedBefore {
  readonly receiptId: string
  /** Our id of the authorisation or capture. */
  readonly requestId: string
  /** Whether the call has had its time. */
  readonly isExpired: boolean
}

/**
 * What a payment or a capture came to, by the receipt and what was asked of the network for it; asks nobody. Null while the call is under
 * way. Throws `paymentUnknown` as long as the network's word is not known: the background finds it out.
 */
export async function cameTo(
  tools: ReceiptTools,
  { receiptId, requestId, isExpired }: AskedBefore,
  asker: Asker,
): Promise<ReceiptRow | null> {
  const { bucket, merchantId } = asker
  // The operation first: the receipt is then at least as new.
  const operation = await tools.store.findOperation({ bucket, merchantId, receiptId, requestId })
  if (operation === null) throw new Error('what was claimed with a payment is kept with it')
  const receipt = await findReceipt(tools, receiptId, asker)
  if (operation.state === 'approved' && receipt.state === receiptStates.closing) {
    if (isExpired) throw new RpcError('merchantClosing')
    return null
  }
  if (operation.state === 'approved') return expectKept(operation, receipt)
  if (operation.state === 'declined') throw merchantRefusalIn(operation) ?? new RpcError(refusalIn(operation))
  if (operation.state === 'unknown' || receipt.state === receiptStates.unknown || isExpired) throw new RpcError('paymentUnknown')
  return null
}

/** An approval of which nobody heard in time goes back: whoever pays is then not told a receipt as if it were paid. */
function expectKept({ kind }: OperationRow, receipt: ReceiptRow): ReceiptRow {
  const isBack = receipt.state === receiptStates.returning || receipt.state === receiptStates.cancelled
  const refused = isBack ? readErrorRow(receipt) : null
  if (kind !== 'capture' && refused?.data !== undefined) throw new RpcError('merchantRefused', { data: refused.data })
  if (kind !== 'capture' && isBack) throw new RpcError('receiptCancelled')
  return receipt
}

function refusalIn({ kind, reason }: OperationRow) {
  if (kind === 'capture' || reason === 'reversed') return 'debitFailed'
  return isDeclineReason(reason) ? refusalOf[reason] : 'declined'
}
