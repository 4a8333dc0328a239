import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'

const { created, checking, debiting, closing, paid, held, holding, unknown, returning, cancelled } = receiptStates

/** Every move that a receipt may make (wire §5), and there is no other. To stay where it is, is always allowed. */
export const moves: Readonly<Record<ReceiptState, readonly ReceiptState[]>> = Object.freeze({
  [created]: [checking, debiting, holding, cancelled],
  [checking]: [debiting, holding, created],
  [debiting]: [closing, paid, created, unknown],
  [closing]: [paid, returning],
  [paid]: [returning],
  [holding]: [held, created, unknown],
  [held]: [paid, returning],
  [unknown]: [created, returning],
  [returning]: [cancelled],
  [cancelled]: [],
})

export function mayMove(from: ReceiptState, to: ReceiptState): boolean {
  return from === to || moves[from].includes(to)
}

/** Throws when a move is outside of the table: a fault of ours, which ends the request and changes nothing. */
export function expectMove(from: ReceiptState, to: ReceiptState): void {
  if (!mayMove(from, to)) throw new Error(`a receipt does not move from ${from} to ${to}`)
}

/** Whether a payment is open: somebody waits for the network, or the background does. */
export function isOpen(state: ReceiptState): boolean {
  return state === checking || state === debiting || state === closing || state === holding || state === unknown
}
