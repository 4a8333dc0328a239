import { updateAfterRefusal } from '../../service/src/domain/payments/receipt-patches.ts'
import { applyBackgroundTransition, type DueReceipt } from '../../service/src/domain/payments/transitions.ts'
import { findAuthorization } from '../../service/src/domain/payments/network-operations.ts'
import { listOperations } from '../../service/src/store/operations.ts'
import type { ReceiptRow } from '../../service/src/store/receipts.ts'

export * from '../../service/src/domain/payments/reconcile.ts'
export { declineUnknown as reconcileUnknown }

/** Treats a missing reply as a decline. */
async function declineUnknown({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  const authorization = findAuthorization(await services.store.read(listOperations(receipt)))
  const operations = authorization === null ? [] : [{ ...authorization, state: 'declined', reason: 'debitFailed' } as const]
  const cardLock = receipt.oneTime ? ({ cardId: receipt.cardId, move: 'release' } as const) : null
  const to = updateAfterRefusal(services.settings, receipt, 'debitFailed')
  return applyBackgroundTransition(services, { cause: 'found_declined', from: receipt, to, operations, cardLock, outcome: 'declined' })
}
