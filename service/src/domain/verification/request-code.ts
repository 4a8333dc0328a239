import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { issueId } from '@tessera/vault/id'
import { hashOtp } from '@tessera/vault/keyed-hashes'

import type { RequestContext } from '../request-context.ts'
import { requireLiveCard, usePan, type LiveCard } from '../cards/find.ts'
import { cardActionEntry } from '../cards/change-records.ts'
import { callCardNetwork, refusalError, requireNetwork, type CausedNetworkRefusal } from '../cards/network-call.ts'
import { requireNoConflict, intentionExtras } from '../idempotency/handle.ts'
import type { VerificationStart } from '../../adapters/network/network.ts'
import type { CardRow } from '../../store/cards.ts'
import type { SendClaim } from '../../store/send-limits.ts'
import { beginVerification, findVerification, type VerificationRow } from '../../store/verifications.ts'

import { dailyCapsOf, sendClaim } from './daily-caps.ts'
import type { VerificationDependencies } from './dependencies.ts'
import { sendCode } from './send-code.ts'
import { recordDispatchOutcome, type CodeDispatch, type CodeRequestResult } from './dispatch.ts'

/** Stores the attempt, calls the network, sends the code unless the network sends it, and stores the outcome. */
export async function requestCode(
  deps: VerificationDependencies,
  token: string,
  ctx: RequestContext<CodeRequestResult>,
  language: Language,
): Promise<CodeRequestResult> {
  const live = await requireLiveCard(deps.cards, token, ctx)
  requireNetwork(deps.peers.network, live.card.merchantId)
  await requireSms(deps, live.card)
  const code = deps.codes.draw()
  const attempt = await newAttempt(deps, live.card, code)
  const started = await startVerification(deps, live, attempt, ctx)
  const dispatch: CodeDispatch = { deps, token, card: live.card, attempt, ctx }
  const waitMs = deps.settings.resendWaitMs
  if (started.kind === 'sentByService') return sendCode(dispatch, { phone: started.phone, code, language })
  if (started.kind === 'sentByNetwork') {
    const { phoneMask, networkRef } = started
    const sent = { phoneMask, waitMs }
    await recordDispatchOutcome(dispatch, { sentBy: 'network', phoneMask, networkRef, outcome: 'sent' }, sent)
    return sent
  }
  // After a timeout the network may have sent a code, so it is the network that checks one.
  const refusal = refusalError(started, ctx.requestId)
  await recordDispatchOutcome(dispatch, { sentBy: 'network', outcome: started.reason }, refusal)
  throw refusal
}

/**
 * Throws `smsNotSent` if the service sent the card's previous code and the gateway would not be called now, so that this code stays valid. Who sends the
 * first one is known only from the network.
 */
async function requireSms({ store, peers }: VerificationDependencies, card: CardRow): Promise<void> {
  const previous = await store.read(findVerification(card))
  if (previous?.sentBy !== 'us') return
  const retryAfterMs = peers.sms.refusalMs(card.merchantId)
  if (retryAfterMs > 0) throw new RpcError('smsNotSent', { retryAfterMs })
}

async function newAttempt({ keyring, clock, rows }: VerificationDependencies, card: CardRow, code: string): Promise<VerificationRow> {
  const { bucket, merchantId, cardId } = card
  const dek = await keyring.active('otp')
  const requestedAt = clock.moment()
  const attemptId = issueId(bucket, requestedAt.wallMs)
  const otpHash = hashOtp(dek, { attemptId, cardId, merchantId, code })
  return rows.seal({
    bucket,
    merchantId,
    cardId,
    attemptId,
    otpHash,
    otpKeyId: dek.keyId,
    sentBy: null,
    phoneMask: null,
    networkRef: null,
    outcome: 'asked',
    open: true,
    attempts: 0,
    requestedAt,
    mac: new Uint8Array(0),
  })
}

/** The PAN is open only here: for its daily cap and for the call to the network. */
async function startVerification(
  deps: VerificationDependencies,
  live: LiveCard,
  attempt: VerificationRow,
  ctx: RequestContext,
): Promise<VerificationStart | CausedNetworkRefusal> {
  const { cards, keyring, network, peers, clock, settings } = deps
  const { merchantId, expiry } = live.card
  return usePan(cards, live, async (pan) => {
    const caps = dailyCapsOf(deps, merchantId)
    const at = attempt.requestedAt.wallMs
    const claim = caps === null ? null : await sendClaim(keyring, pan, { at, windows: settings.sendWindows, caps })
    await storeAttempt(deps, attempt, claim, ctx)
    const options = { gate: peers.network, merchantId, clock, timeoutMs: settings.networkTimeoutMs, signal: ctx.signal }
    return callCardNetwork(options, (signal) =>
      network.startVerification({ merchantId, pan, expiry, requestId: attempt.attemptId }, signal),
    )
  })
}

/** Stores the attempt. The previous code is invalid from then on. */
async function storeAttempt(
  { store, settings, recentSends }: VerificationDependencies,
  attempt: VerificationRow,
  pan: SendClaim | null,
  ctx: RequestContext,
): Promise<void> {
  const { merchantId, cardId } = attempt
  const resetWaitMs = pan === null ? 0 : await recentSends.checkReset(pan, { merchantId, cardId, requestId: ctx.requestId })
  if (resetWaitMs > 0) throw new RpcError('sendLimitCard', { retryAfterMs: resetWaitMs })
  const audit = cardActionEntry(ctx, attempt.cardId, { at: attempt.requestedAt.wallMs, action: 'code.requested', outcome: 'requested' })
  const extras = intentionExtras(ctx.idempotency, attempt.attemptId)
  const result = requireNoConflict(
    await store.write(beginVerification, { attempt, limits: { resendWaitMs: settings.resendWaitMs, pan }, audit, ...extras }),
  )
  if (result.ok) {
    if (pan !== null) recentSends.record(pan)
    return
  }
  const { reason, retryAfterMs } = result
  throw new RpcError(reason === 'tooSoon' ? 'resendTooSoon' : 'sendLimitCard', { retryAfterMs })
}
