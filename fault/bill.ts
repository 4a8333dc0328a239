import type { Far } from './ledger.ts'

/** What the caller of receipts.pay was told: nothing yet, or nothing at all (`asked`), that it is paid, refused, or that nobody knows. */
export type Told = 'no' | 'asked' | 'paid' | 'refused' | 'unknown'

export type ShopKind = 'asked' | 'plain'

/** All that one merchant was told of one receipt. */
export interface Bill {
  readonly receiptId: string
  /** Whose it is: of a merchant with an endpoint, which is asked, or of one without. */
  readonly shop: ShopKind
  readonly amountTiyin: number
  readonly hold: boolean
  readonly token: string
  /** Under which it is paid, and asked to be paid again. */
  readonly key: string
  pay: Told
  /** What each call of receipts.pay was answered, in order, with `(key)` where it carried the key: told where something is wrong. */
  readonly answers: string[]
  confirm: Far
  /** What a confirmation was asked to take. */
  confirmTiyin: number
  cancel: Far
}

/** The receipt as the service tells it in the end. */
export interface ToldReceipt {
  readonly state: number
  readonly amountTiyin: number
}

/** One movement in the network's own ledger, with the receipt for which it was asked; null: the service knows nothing of it. */
export interface Movement {
  readonly receiptId: string | null
  readonly kind: string
  readonly amountTiyin: number
  readonly networkRef: string
}

/** What is wrong with a receipt and the money that moved for it, or null. What was never answered may have happened or not. */
export function judgeBill(bill: Bill, { state, amountTiyin }: ToldReceipt, moved: readonly Movement[]): string | null {
  const { debits, takenTiyin, heldTiyin } = sumUp(moved)
  if (debits > 1) return `was debited ${debits} times`
  const due = { taken: state === paid ? amountTiyin : 0, held: state === held ? amountTiyin : 0 }
  if (!ends.includes(state)) return `is left in state ${state}`
  if (due.taken !== takenTiyin || due.held !== heldTiyin) {
    return `is in state ${state} with ${amountTiyin}, and the network took ${takenTiyin} and holds ${heldTiyin}`
  }
  return judgeTold(bill, { state, amountTiyin })
}

function judgeTold(bill: Bill, { state, amountTiyin }: ToldReceipt): string | null {
  const hasMoney = state === paid || state === held
  if (bill.cancel === 'acknowledged') return state === cancelled ? null : `its cancellation was acknowledged, and it is in state ${state}`
  if (bill.pay === 'paid' && !hasMoney && bill.cancel === 'no') return `its payment was acknowledged, and it is in state ${state}`
  if (bill.pay !== 'paid' && bill.pay !== 'asked' && hasMoney) return `its payment was told as ${bill.pay}, and it is in state ${state}`
  if (bill.confirm === 'acknowledged' && bill.cancel === 'no' && (state !== paid || amountTiyin !== bill.confirmTiyin)) {
    return `${bill.confirmTiyin} of it were confirmed, and it is in state ${state} with ${amountTiyin}`
  }
  if (bill.confirm === 'no' && bill.hold && state === paid) return 'is taken, and nobody confirmed it'
  return null
}

/** What stands approved in the ledger and was not undone: per reference, since a receipt may be paid again after a refusal. */
function sumUp(moved: readonly Movement[]): { debits: number; takenTiyin: number; heldTiyin: number } {
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
const ends = [created, paid, held, cancelled]
