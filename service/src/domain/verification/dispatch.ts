import type { CodeFormat } from '@tessera/contract/verification-code'

import type { RequestContext } from '../request-context.ts'
import { cardActionEntry } from '../cards/change-records.ts'
import { requireLiveCard } from '../cards/find.ts'
import { RpcError } from '@tessera/contract/errors'
import type { Codes } from '../../adapters/sms/codes.ts'
import { requireNoConflict, outcomeExtras } from '../idempotency/handle.ts'
import type { CardRow } from '../../store/cards.ts'
import { recordSendResult, type SendResult, type VerificationRow } from '../../store/verifications.ts'

import type { VerificationDependencies } from './dependencies.ts'
import type { VerificationPolicy } from './policy.ts'

export interface CodeRequestResult {
  readonly phoneMask: string
  /** Time until another code may be requested. */
  readonly waitMs: number
  /** What the code looks like, for the form. */
  readonly code: CodeFormat & { readonly lifetimeMs: number }
}

/** What codes of a policy look like, and the code of the test environment, if there is one. */
export function codeFormatOf({ length, alphabet }: VerificationPolicy, { fixed }: Codes): CodeFormat {
  return { length, alphabet, ...(fixed === undefined ? {} : { fixed }) }
}

/** The reply to a request whose code was sent, or may have been. */
export function codeRequestResult(
  { codes }: Pick<VerificationDependencies, 'codes'>,
  policy: VerificationPolicy,
  phoneMask: string,
): CodeRequestResult {
  return { phoneMask, waitMs: policy.resendWaitMs, code: { ...codeFormatOf(policy, codes), lifetimeMs: policy.lifetimeMs } }
}

/** An attempt whose code is being sent, with its request. */
export interface CodeDispatch {
  readonly deps: VerificationDependencies
  readonly token: string
  readonly card: CardRow
  readonly policy: VerificationPolicy
  readonly attempt: VerificationRow
  readonly ctx: RequestContext<CodeRequestResult>
}

/** The result of the network or the gateway for an attempt. */
export type DispatchOutcome = Partial<Pick<SendResult, 'phoneMask' | 'networkRef'>> & Pick<SendResult, 'sentBy' | 'outcome'>

/**
 * Stores the outcome of sending, with the caller's reply for the idempotency key. Throws if the attempt is no longer the current one of the card, because
 * the card was removed or another code was requested.
 */
export async function recordDispatchOutcome(
  { deps, token, policy, attempt, ctx }: CodeDispatch,
  outcome: DispatchOutcome,
  reply: CodeRequestResult | RpcError,
): Promise<void> {
  const { cardId } = attempt
  const next = await deps.rows.seal({ ...attempt, ...outcome })
  const result = { ...next, previousMac: attempt.mac }
  const audit = cardActionEntry(ctx, cardId, { at: deps.clock.now(), action: 'code.dispatched', outcome: outcome.outcome })
  if (requireNoConflict(await deps.store.write(recordSendResult, { result, audit, ...outcomeExtras(ctx.idempotency, reply) }))) return
  await requireLiveCard(deps.cards, token, ctx)
  throw new RpcError('resendTooSoon', { retryAfterMs: policy.resendWaitMs })
}
