import { maskPhone } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import { refusalError } from '../cards/refusal.ts'
import type { RefusalReason } from '../network/network.ts'
import type { CardRow } from '../store/store.ts'

import type { VerificationParts } from './parts.ts'
import type { SentCode } from './sending.ts'

/** An attempt that a request began and, as far as its idempotency key tells, nobody answered. */
export interface AskedBefore {
  readonly attemptId: string
  /** Whether the request has had its time. */
  readonly isExpired: boolean
}

/**
 * Tells what became of an attempt, by its row. One that was never settled counts as sent once its time is over: the message may be on its way,
 * and another is asked for with another key. So does one whose place another attempt has taken.
 */
export async function settleAsk(
  { store, figures }: VerificationParts,
  token: string,
  { attemptId, isExpired }: AskedBefore,
  { bucket, merchantId, requestId }: Asker,
): Promise<SentCode | null> {
  const kept = await store.findVerification({ bucket, merchantId, cardId: cardIdOf(token) })
  const attempt = kept?.attemptId === attemptId ? kept : null
  const outcome = attempt?.outcome ?? 'asked'
  if (outcome === 'asked' && !isExpired) return null
  if (isRefusal(outcome)) throw refusalError({ kind: 'refused', reason: outcome }, requestId)
  const retryAfterMs = figures.resendWaitMs
  if (outcome === 'rejected' || outcome === 'sendRefused') throw new RpcError('smsNotSent', { retryAfterMs })
  if (outcome === 'phoneLimit') throw new RpcError('sendLimitPhone', { retryAfterMs })
  return { phoneMask: attempt?.phoneMask ?? maskPhone(''), waitMs: figures.resendWaitMs }
}

/**
 * Tells what became of a code that the network was asked about, by the card. Where the card is not verified when the time is over, the network's
 * word was lost: the same as if it had not answered.
 */
export async function settleAnswer({ cards }: VerificationParts, token: string, isExpired: boolean, asker: Asker): Promise<CardRow | null> {
  const { card } = await cards.find(token, asker)
  if (card.verified) return card
  if (isExpired) throw new RpcError('networkTimeout')
  return null
}

/** The request was accepted once with this token, so it has the shape of one. */
function cardIdOf(token: string): string {
  return token.slice(0, 24)
}

function isRefusal(outcome: string): outcome is RefusalReason {
  return Object.hasOwn(refusals, outcome)
}

const refusals: Readonly<Record<RefusalReason, true>> = {
  smsNotConnected: true,
  cardExpired: true,
  cardBlocked: true,
  systemError: true,
  timeout: true,
}
