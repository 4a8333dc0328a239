import type { CallProgress } from './ledger.ts'

/** The state of a payment as the caller of receipts.pay knows it: `sent` until a reply comes, `unknown` when the reply says that the outcome is unknown. */
export type KnownPaymentState = 'none' | 'sent' | 'paid' | 'refused' | 'unknown'

/** Whether the merchant has an endpoint that the service calls. */
export type ShopKind = 'withEndpoint' | 'plain'

/** What one merchant sent for one receipt, and what it received. */
export interface ReceiptRecord {
  readonly receiptId: string
  readonly shop: ShopKind
  readonly amountTiyin: number
  readonly hold: boolean
  readonly token: string
  /** The idempotency key of the payment and of its retries. */
  readonly key: string
  pay: KnownPaymentState
  /** The reply to each call of receipts.pay, in order, with `(key)` where it carried the key. Printed where something is wrong. */
  readonly replies: string[]
  confirm: CallProgress
  /** The amount that a capture requested. */
  confirmTiyin: number
  cancel: CallProgress
}

/** The receipt as the service returns it in the end. */
export interface FinalReceipt {
  readonly state: number
  readonly amountTiyin: number
}

/** One movement in the network's ledger, with its receipt; null when the service knows no operation for it. */
export interface LedgerMovement {
  readonly receiptId: string | null
  readonly kind: string
  readonly amountTiyin: number
  readonly networkRef: string
}

/** What is wrong with a receipt and the money that moved for it, or null. A call without a reply may have happened or not. */
export function judgeReceipt(
  receipt: ReceiptRecord,
  { state, amountTiyin }: FinalReceipt,
  moved: readonly LedgerMovement[],
): string | null {
  const { debits, takenTiyin, heldTiyin } = sumUp(moved)
  if (debits > 1) return `was debited ${debits} times`
  const due = { taken: state === paid ? amountTiyin : 0, held: state === held ? amountTiyin : 0 }
  if (!finalStates.includes(state)) return `is left in state ${state}`
  if (due.taken !== takenTiyin || due.held !== heldTiyin) {
    return `is in state ${state} with ${amountTiyin}, and the network took ${takenTiyin} and holds ${heldTiyin}`
  }
  return judgeReplies(receipt, { state, amountTiyin })
}

function judgeReplies(receipt: ReceiptRecord, { state, amountTiyin }: FinalReceipt): string | null {
  const hasMoney = state === paid || state === held
  if (receipt.cancel === 'acknowledged')
    return state === cancelled ? null : `its cancellation was acknowledged, and it is in state ${state}`
  if (receipt.pay === 'paid' && !hasMoney && receipt.cancel === 'none') return `its payment was acknowledged, and it is in state ${state}`
  if (receipt.pay !== 'paid' && receipt.pay !== 'sent' && hasMoney)
    return `its payment was reported as ${receipt.pay}, and it is in state ${state}`
  if (receipt.confirm === 'acknowledged' && receipt.cancel === 'none' && (state !== paid || amountTiyin !== receipt.confirmTiyin)) {
    return `${receipt.confirmTiyin} of it was confirmed, and it is in state ${state} with ${amountTiyin}`
  }
  if (receipt.confirm === 'none' && receipt.hold && state === paid) return 'is captured without a confirmation'
  return null
}

/** Payments, confirmations and cancellations of unknown outcome, and how many of them had happened by the final receipt. */
export function countUnknownPayments(
  receipts: readonly ReceiptRecord[],
  finalReceipts: ReadonlyMap<string, FinalReceipt>,
): { unknown_outcomes: number; unknown_that_had_happened: number } {
  const count = { unknown_outcomes: 0, unknown_that_had_happened: 0 }
  for (const { receiptId, pay, confirm, cancel } of receipts) {
    const state = finalReceipts.get(receiptId)?.state ?? -1
    const effects = [
      { isUnknown: pay === 'sent' || pay === 'unknown', hadHappened: state === paid || state === held },
      { isUnknown: confirm === 'sent', hadHappened: state === paid },
      { isUnknown: cancel === 'sent', hadHappened: state === cancelled },
    ]
    const unknown = effects.filter(({ isUnknown }) => isUnknown)
    count.unknown_outcomes += unknown.length
    count.unknown_that_had_happened += unknown.filter(({ hadHappened }) => hadHappened).length
  }
  return count
}

/** The approved movements that were not undone. Summed per reference, since a receipt may be paid again after a refusal. */
function sumUp(moved: readonly LedgerMovement[]): { debits: number; takenTiyin: number; heldTiyin: number } {
  const sums = { debits: 0, takenTiyin: 0, heldTiyin: 0 }
  for (const ref of new Set(moved.map(({ networkRef }) => networkRef))) {
    const rows = moved.filter(({ networkRef }) => networkRef === ref)
    const sumOf = (...kinds: string[]): number =>
      rows.filter(({ kind }) => kinds.includes(kind)).reduce((sum, row) => sum + row.amountTiyin, 0)
    const has = (kind: string): boolean => rows.some((row) => row.kind === kind)
    if (has('reverse') || has('cancelHold')) continue
    sums.takenTiyin += sumOf('authorise', 'capture') - sumOf('refund')
    sums.heldTiyin += has('capture') ? 0 : sumOf('hold')
    if (sumOf('authorise', 'hold') > sumOf('refund')) sums.debits += 1
  }
  return sums
}

const [created, paid, held, cancelled] = [0, 4, 5, 50]
/** Where a receipt may rest. */
const finalStates = [created, paid, held, cancelled]
