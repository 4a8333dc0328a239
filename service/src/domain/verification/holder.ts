import type { HolderMatch } from '../../adapters/holder-match.ts'
import type { NamedVerificationPhone, VerificationStart } from '../../adapters/network/network.ts'
import { withTimeout } from '../../clock.ts'

import type { CodeDispatch } from './dispatch.ts'

/** The reply of a network that found the cardholder's phone. */
export type NamedPhone = Extract<VerificationStart, { kind: 'sentByService' | 'sentByNetwork' }>

/** Whether the phone counts as the cardholder's: by the network, by the outside service that the policy names, and by the policy if neither knows. */
export async function isHolderAccepted(dispatch: CodeDispatch, started: NamedPhone): Promise<boolean> {
  const { policy } = dispatch
  const byNetwork = started.holder ?? 'unknown'
  if (byNetwork === 'mismatch') return false
  const byService =
    policy.holderCheck === 'service' && started.kind === 'sentByService' ? await queryHolderService(dispatch, started) : 'unknown'
  if (byService === 'mismatch') return false
  return byNetwork === 'match' || byService === 'match' || policy.isUnknownHolderAccepted
}

/** No reply in time, a failed call and an open breaker are `unknown`. */
async function queryHolderService(
  { deps, card, attempt, ctx }: CodeDispatch,
  { phone, holderReference }: NamedVerificationPhone,
): Promise<HolderMatch> {
  const { holder, peers, clock, settings } = deps
  if (holder === null) return 'unknown'
  const { merchantId, maskedPan } = card
  const request = { requestId: attempt.attemptId, merchantId, maskedPan, phone, holderReference: holderReference ?? null }
  const timeout = { clock, timeoutMs: settings.holderTimeoutMs, signal: ctx.signal }
  const check = (): Promise<HolderMatch | 'late'> =>
    withTimeout<HolderMatch | 'late'>(timeout, 'late', (signal) => holder.check(request, signal))
  try {
    const match = await peers.holder.call(merchantId, check, (found) => (found === 'late' ? 'failed' : 'succeeded'))
    return match === 'late' ? 'unknown' : match
  } catch {
    return 'unknown'
  }
}
