import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import { changeReceipt } from './change.ts'
import { findReceipt } from './find.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** Keeps what the merchant's fiscal module answered, as it was given; another time puts it in place of the first. */
export async function setFiscal(tools: ReceiptTools, receiptId: string, given: object, asker: ReceiptAsker): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const receipt = await findReceipt(tools, receiptId, asker)
    if (receipt.state !== receiptStates.paid) throw new RpcError('receiptNotPaid')
    const to = { fiscal: JSON.stringify(given) }
    const told = { action: 'receipt.fiscal', outcome: 'kept', isIntention: true, answers: 'success' } as const
    if (typeof (await changeReceipt(tools, { from: receipt, to, asker, ...told })) !== 'string') return
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

const turnsMax = 5
