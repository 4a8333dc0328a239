import type { Result } from '@tessera/contract/operations'
import type { Language } from '@tessera/contract/profile'
import { receiptStates } from '@tessera/contract/receipt'

import { formatSomInput, parseSomInput } from '../../format/numbers.ts'

/** What a user can do with a receipt: capture a hold or void it, refund a payment, cancel what nobody has paid. */
export type ReceiptAction = 'capture' | 'void' | 'refund' | 'cancel'

type ReceiptDetails = Result<'dashboard.receipts.get'>

/** The actions that the state allows, the one that is meant most often first. None while the network is being asked. */
export function availableActions({ receipt, operations }: Pick<ReceiptDetails, 'receipt' | 'operations'>): readonly ReceiptAction[] {
  if (hasPendingOperation(operations)) return []
  const { created, held, paid } = receiptStates
  const actions: Readonly<Record<number, readonly ReceiptAction[]>> = {
    [created]: ['cancel'],
    [held]: ['capture', 'void'],
    [paid]: ['refund'],
  }
  return actions[receipt.state] ?? []
}

/** Whether the outcome of something is still open, so that the page asks again by itself. */
export function isMoving({ receipt, operations }: Pick<ReceiptDetails, 'receipt' | 'operations'>): boolean {
  const { status } = receipt
  return status === 'processing' || status === 'refunding' || status === 'pending_confirmation' || hasPendingOperation(operations)
}

/** How far an action has come. `review`: the network has not confirmed it for so long that an operator has to look. */
export type ActionProgress = 'asked' | 'done' | 'review'

/** How far an action has come by the details, which may be from before it; a network takes its time. */
export function progressOf(action: ReceiptAction, { status }: Pick<ReceiptDetails['receipt'], 'status'>): ActionProgress {
  if (status === 'needs_review') return 'review'
  return status === outcomes[action] ? 'done' : 'asked'
}

/** Whether the details show that an action was accepted, by this press or by another. */
export function wasAccepted(action: ReceiptAction, { receipt, operations }: Pick<ReceiptDetails, 'receipt' | 'operations'>): boolean {
  const { state, status } = receipt
  if (status === outcomes[action]) return true
  if (action === 'capture') return operations.some(({ kind }) => kind === 'capture') && hasPendingOperation(operations)
  return action !== 'cancel' && state === receiptStates.returning
}

const outcomes = { capture: 'captured', void: 'voided', refund: 'refunded', cancel: 'cancelled' } as const

/** The newest request decides: an earlier one of unknown outcome was followed by its reversal. */
function hasPendingOperation(operations: ReceiptDetails['operations']): boolean {
  const newest = operations.reduce((at, { requestedAt }) => Math.max(at, requestedAt), 0)
  return operations.some(({ requestedAt, state }) => requestedAt === newest && (state === 'requested' || state === 'unknown'))
}

/** What is wrong with the amount of a capture: no amount, or more than is held. */
export type CaptureProblem = 'notAnAmount' | 'aboveHold'

export interface CaptureAmount {
  readonly tiyin: number
  /** Released when the rest is captured. */
  readonly restTiyin: number
  readonly problem: CaptureProblem | null
}

/** Reads what was typed as the amount of a capture. */
export function readCaptureAmount(typed: string, heldTiyin: number): CaptureAmount {
  const tiyin = parseSomInput(typed) ?? 0
  if (tiyin === 0) return { tiyin, restTiyin: 0, problem: 'notAnAmount' }
  return tiyin > heldTiyin ? { tiyin, restTiyin: 0, problem: 'aboveHold' } : { tiyin, restTiyin: heldTiyin - tiyin, problem: null }
}

/** The amount of a full capture, as a person types it. */
export function fullCapture(heldTiyin: number, language: Language): string {
  return formatSomInput(heldTiyin, language)
}
