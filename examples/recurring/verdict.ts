import type { Problem } from '@tessera/client'

import type { Charge, Member } from './book.ts'

/**
 * What a try came to: paid · refused, and worth another attempt · refused because of the card, so that the cardholder has to be asked · open:
 * not known yet, or a developer has to mend it (`reason` tells).
 */
export type Verdict =
  | { readonly kind: 'paid' }
  | { readonly kind: 'refused' | 'cardOver'; readonly reason: string }
  | { readonly kind: 'open'; readonly reason: string | null }

/** What the reason of a refused payment means for a shop. */
export function judge({ reason }: Problem): Verdict {
  switch (reason) {
    case 'insufficient_funds':
    case 'declined':
    case 'debit_failed':
    case 'system_error':
    case 'network_timeout':
    case 'sms_not_connected':
      return { kind: 'refused', reason }
    case 'card_expired':
    case 'card_blocked':
    case 'card_deleted':
    case 'card_ended':
    case 'card_not_found':
    case 'card_not_verified':
    case 'token_shape':
      return { kind: 'cardOver', reason }
    // payment_unknown, no_answer, receipt_paid and their like: the receipt itself tells, when it is asked.
    default:
      return open(reason)
  }
}

/** To be looked at again. */
export function open(reason: string | null): Verdict {
  return { kind: 'open', reason }
}

/** Writes a verdict into the book. */
export function note(member: Member, charge: Charge, verdict: Verdict, now: number): void {
  // A delivery may have told it while we waited for an answer.
  if (charge.state === 'paid') return
  charge.reason = verdict.kind === 'paid' ? null : verdict.reason
  if (verdict.kind === 'paid') charge.state = 'paid'
  if (verdict.kind === 'open') charge.dueAt = now + lookAgainMs
  if (verdict.kind === 'cardOver') member.token = null
  const days = verdict.kind === 'refused' ? retryDays[charge.attempt - 1] : undefined
  if (days !== undefined) attemptAgain(charge, now + days * dayMs)
  else if (verdict.kind === 'refused' || verdict.kind === 'cardOver') charge.state = 'failed'
}

/** The cardholder gave another card: what had failed is open again. */
export function changeCard(member: Member, token: string, now: number): void {
  member.token = token
  for (const charge of Object.values(member.charges)) {
    if (charge.state === 'failed') attemptAgain(charge, now)
  }
}

function attemptAgain(charge: Charge, dueAt: number): void {
  Object.assign(charge, { state: 'open', dueAt, attempt: charge.attempt + 1, receiptId: null, pays: 0 })
}

/** A refusal is tried again after one, three and seven days; after that the cardholder has to be asked. */
const retryDays = [1, 3, 7]
const dayMs = 24 * 60 * 60 * 1000
/** How soon we look again at what is not decided. A webhook tells earlier. */
const lookAgainMs = 5 * 60 * 1000
