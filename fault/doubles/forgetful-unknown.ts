import { afterRefusal } from '../../service/src/receipts/life.ts'
import { keep, type Looking } from '../../service/src/receipts/looking.ts'
import { authorisationOf } from '../../service/src/receipts/operations.ts'
import type { ReceiptRow } from '../../service/src/store/store.ts'

/** Takes silence for a refusal. */
export async function settleUnknown({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const authorisation = authorisationOf(await tools.store.listOperations(receipt))
  const operations = authorisation === null ? [] : [{ ...authorisation, state: 'declined', reason: 'debitFailed' } as const]
  const cardLock = receipt.oneTime ? ({ cardId: receipt.cardId, move: 'release' } as const) : null
  const to = afterRefusal(tools.figures, receipt, 'debitFailed')
  return keep(tools, { from: receipt, to, operations, cardLock, action: 'receipt.refused', outcome: 'forgotten' })
}
