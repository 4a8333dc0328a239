import type { Problem } from '@tessera/client'

import type { Charge, ClubMember } from './subscriptions.ts'

/**
 * The result of an attempt. `declined`: worth another attempt. `card_unusable`: the cardholder has to enter another card. `open`: the
 * result is not known yet, or a developer has to fix something; `reason` tells.
 */
export type PaymentResult =
  | { readonly kind: 'paid' }
  | { readonly kind: 'declined' | 'card_unusable'; readonly reason: string }
  | { readonly kind: 'open'; readonly reason: string | null }

/** What the reason of a failed payment means for a shop. */
export function classifyProblem({ reason }: Problem): PaymentResult {
  switch (reason) {
    case 'insufficient_funds':
    case 'declined':
    case 'debit_failed':
    case 'system_error':
    case 'network_timeout':
    case 'sms_not_connected':
      return { kind: 'declined', reason }
    case 'card_expired':
    case 'card_blocked':
    case 'card_deleted':
    case 'card_ended':
    case 'card_not_found':
    case 'card_not_verified':
    case 'token_shape':
      return { kind: 'card_unusable', reason }
    // payment_unknown, no_answer, receipt_paid and similar: the receipt itself tells the result.
    default:
      return stillOpen(reason)
  }
}

/** The charge has to be checked again. */
export function stillOpen(reason: string | null): PaymentResult {
  return { kind: 'open', reason }
}

/** Applies a result to the charge. */
export function recordResult(member: ClubMember, charge: Charge, result: PaymentResult, now: number): void {
  // A delivery may have reported the payment while we waited for the response.
  if (charge.state === 'paid') return
  charge.reason = result.kind === 'paid' ? null : result.reason
  if (result.kind === 'paid') charge.state = 'paid'
  if (result.kind === 'open') charge.dueAt = now + checkAgainMs
  if (result.kind === 'card_unusable') member.token = null
  const delayDays = result.kind === 'declined' ? retryDelaysDays[charge.attempt - 1] : undefined
  if (delayDays !== undefined) startNextAttempt(charge, now + delayDays * dayMs)
  else if (result.kind === 'declined' || result.kind === 'card_unusable') charge.state = 'failed'
}

/** Stores another card of the member. Charges that had failed are open again. */
export function changeCard(member: ClubMember, token: string, now: number): void {
  member.token = token
  for (const charge of Object.values(member.charges)) {
    if (charge.state === 'failed') startNextAttempt(charge, now)
  }
}

function startNextAttempt(charge: Charge, dueAt: number): void {
  Object.assign(charge, { state: 'open', dueAt, attempt: charge.attempt + 1, receiptId: null, pays: 0 })
}

/** A declined payment is retried after one, three and seven days. After that the cardholder has to enter a card again. */
const retryDelaysDays = [1, 3, 7]
const dayMs = 24 * 60 * 60 * 1000
/** When an open charge is checked again. A webhook usually reports the result earlier. */
const checkAgainMs = 5 * 60 * 1000
