import { maskPhone } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'

import type { RequestContext } from '../request-context.ts'
import { findCardByToken, requireLiveCard } from '../cards/find.ts'
import { refusalError, type CausedNetworkRefusal } from '../cards/network-call.ts'
import type { CardRow } from '../../store/cards.ts'
import { findVerification } from '../../store/verifications.ts'

import type { VerificationDependencies } from './dependencies.ts'
import { codeRequestResult, type CodeRequestResult } from './dispatch.ts'
import { policyOf } from './policy.ts'

/** An attempt of an earlier request whose idempotency record has no outcome. */
export interface EarlierCodeRequest {
  readonly attemptId: string
  /** Whether the lease of that request has expired. */
  readonly isExpired: boolean
}

/**
 * Finds the outcome of an attempt in its row. An attempt without outcome counts as sent when its lease is over, because the message may have been sent;
 * another code needs another idempotency key. An attempt that was replaced counts as sent too.
 */
export async function reconcileCodeRequest(
  deps: VerificationDependencies,
  token: string,
  { attemptId, isExpired }: EarlierCodeRequest,
  ctx: RequestContext,
): Promise<CodeRequestResult | null> {
  const { store, rows, cards } = deps
  const { bucket, merchantId, requestId } = ctx
  const stored = await store.read(findVerification({ bucket, merchantId, cardId: cardIdOf(token) }))
  if (stored !== null) await rows.require(stored, requestId)
  const attempt = stored?.attemptId === attemptId ? stored : null
  const outcome = attempt?.outcome ?? 'asked'
  if (outcome === 'asked' && !isExpired) return null
  if (isRefusal(outcome)) throw refusalError({ kind: 'refused', reason: outcome }, requestId)
  const card = await findCardByToken(cards, token, ctx)
  const policy = policyOf(deps, card)
  const retryAfterMs = policy.resendWaitMs
  if (unsentOutcomes.has(outcome)) throw new RpcError('smsNotSent', { retryAfterMs })
  if (outcome === 'phoneLimit') throw new RpcError('sendLimitPhone', { retryAfterMs })
  if (outcome === 'verificationStopped')
    throw new RpcError('verificationStopped', { retryAfterMs: policy.stop?.durationMs ?? retryAfterMs })
  return codeRequestResult(deps, policy, attempt?.phoneMask ?? maskPhone(''))
}

/**
 * Finds the outcome of a code check of the network in the state of the card. If the card is not verified when the lease is over, the network's response
 * was lost, and the caller gets a timeout.
 */
export async function reconcileCodeCheck(
  { cards }: VerificationDependencies,
  token: string,
  isExpired: boolean,
  ctx: RequestContext,
): Promise<CardRow | null> {
  const { card } = await requireLiveCard(cards, token, ctx)
  if (card.verified) return card
  if (isExpired) throw new RpcError('networkTimeout')
  return null
}

/** The token was validated by the earlier request. */
function cardIdOf(token: string): string {
  return token.slice(0, 24)
}

function isRefusal(outcome: string): outcome is CausedNetworkRefusal['reason'] {
  return Object.hasOwn(refusals, outcome)
}

const unsentOutcomes: ReadonlySet<string> = new Set(['rejected', 'sendRefused', 'gatewayUnavailable'])

const refusals: Readonly<Record<CausedNetworkRefusal['reason'], true>> = {
  smsNotConnected: true,
  cardExpired: true,
  cardBlocked: true,
  holderMismatch: true,
  systemError: true,
  timeout: true,
  unavailable: true,
}
