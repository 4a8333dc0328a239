import type { EndpointSaid } from '../endpoint/endpoint.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { backoffMs } from './life.ts'
import { keep, lease, type Looking } from './looking.ts'
import { askMerchant, merchantSaidOf } from './merchant-said.ts'
import { isUnderWay, newOperation, performOf } from './operations.ts'
import type { ReceiptTools } from './tools.ts'

/** What the merchant's endpoint is to be told when the money is back; null where it was never told of the payment. */
export function withdrawalOf(receipt: ReceiptRow, operations: readonly OperationRow[], now: number): OperationRow | null {
  return performOf(operations) === null ? null : newOperation(receipt, 'merchantCancel', receipt.takenTiyin, now)
}

/**
 * Tells the merchant that the money is back: the payer has it already, whatever the merchant says. Where it objects, or has not answered for
 * a day, the receipt is flagged: its books and ours differ, and a person is to look.
 */
export async function tellCancelled(looking: Looking): Promise<ReceiptRow | null> {
  const { tools, signal, receipt } = looking
  const operations = await tools.store.listOperations(receipt)
  const withdrawal = operations.find(({ kind }) => kind === 'merchantCancel') ?? null
  if (withdrawal === null || !isUnderWay(withdrawal)) {
    return keep(tools, { from: receipt, to: { dueAt: null }, action: 'receipt.looked', outcome: 'done' })
  }
  const leased = await lease(looking)
  if (leased === null) return null
  const { merchantId, receiptId: transactionId } = leased
  const reason = performOf(operations)?.state === 'approved' ? 'refunded' : 'failed'
  const said = await askMerchant(tools, signal, (endpoint, until) => endpoint.cancel({ merchantId, transactionId, reason }, until))
  return keepTold(tools, { receipt: leased, withdrawal, said })
}

interface Told {
  readonly receipt: ReceiptRow
  readonly withdrawal: OperationRow
  readonly said: EndpointSaid
}

function keepTold(tools: ReceiptTools, { receipt, withdrawal, said }: Told): Promise<ReceiptRow | null> {
  const { figures, clock } = tools
  const now = clock.now()
  const isOver = now - withdrawal.askedAt >= figures.flagAfterMs
  const told = { from: receipt, operations: [merchantSaidOf(withdrawal, said, { now, isOver })], action: 'receipt.withdrawn' }
  if (said.kind === 'silent' && !isOver) {
    return keep(tools, { ...told, to: { dueAt: now + backoffMs(figures, receipt.looks) }, outcome: said.why })
  }
  const outcome = said.kind === 'silent' ? 'merchant_no_answer' : said.kind
  return keep(tools, { ...told, to: { dueAt: null, flagged: said.kind !== 'agreed' }, outcome })
}
