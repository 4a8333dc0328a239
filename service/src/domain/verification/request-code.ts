import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'
import { issueId } from '@tessera/vault/id'
import { hashOtp } from '@tessera/vault/keyed-hashes'

import type { RequestContext } from '../request-context.ts'
import { requireLiveCard, usePan, type LiveCard } from '../cards/find.ts'
import { cardActionEntry } from '../cards/change-records.ts'
import { callCardNetwork, refusalError, requireNetwork, type CausedNetworkRefusal } from '../cards/network-call.ts'
import { requireNetworkOfCard, type NetworkPeer } from '../networks.ts'
import { requireNoConflict, intentionExtras } from '../idempotency/handle.ts'
import type { VerificationStart } from '../../adapters/network/network.ts'
import type { CardRow } from '../../store/cards.ts'
import type { SendClaim } from '../../store/send-limits.ts'
import { beginVerification, findVerification, type VerificationRow } from '../../store/verifications.ts'

import { dailyCapsOf, sendClaim } from './daily-caps.ts'
import type { VerificationDependencies } from './dependencies.ts'
import { isHolderAccepted, type NamedPhone } from './holder.ts'
import { policyOf, type VerificationPolicy } from './policy.ts'
import { sendCode } from './send-code.ts'
import { codeRequestResult, recordDispatchOutcome, type CodeDispatch, type CodeRequestResult } from './dispatch.ts'
import { phoneReference, requireNotStopped, stopOf } from './stops.ts'

/** Who reads the message, and where the code is entered. */
export interface CodeReader {
  readonly language: Language
  /** Of the page that embeds the form; null when it is not known. */
  readonly shopOrigin: string | null
}

/** Stores the attempt, calls the network, sends the code unless the network sends it, and stores the outcome. */
export async function requestCode(
  deps: VerificationDependencies,
  token: string,
  ctx: RequestContext<CodeRequestResult>,
  { language, shopOrigin }: CodeReader,
): Promise<CodeRequestResult> {
  const live = await requireLiveCard(deps.cards, token, ctx)
  const peer = requireNetworkOfCard(deps.networks, live.card.maskedPan)
  requireNetwork(peer.gate, live.card.merchantId)
  await requireSms(deps, live.card)
  const policy = policyOf(deps, live.card)
  const code = deps.codes.draw(policy)
  const attempt = await newAttempt(deps, live.card, code)
  const started = await startVerification({ deps, live, peer, policy, attempt, ctx })
  const dispatch: CodeDispatch = { deps, token, card: live.card, policy, attempt, ctx }
  if (started.kind === 'sentByService') {
    const phoneRef = await phoneReference(deps, policy, { merchantId: live.card.merchantId, phone: started.phone })
    await requirePhoneNotStopped(dispatch, live, phoneRef)
    await requireHolder(dispatch, started)
    const shopHost = shopOrigin === null ? null : new URL(shopOrigin).host
    return sendCode(dispatch, { phone: started.phone, phoneRef, code, language, shopHost })
  }
  if (started.kind === 'sentByNetwork') {
    const { phoneMask, networkRef } = started
    await requireHolder(dispatch, started)
    const sent = codeRequestResult(deps, policy, phoneMask)
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
async function requireSms({ store, sms }: VerificationDependencies, card: CardRow): Promise<void> {
  const previous = await store.read(findVerification(card))
  if (previous?.sentBy !== 'us') return
  const retryAfterMs = sms.refusalMs(card.merchantId)
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

interface StartRequest {
  readonly deps: VerificationDependencies
  readonly live: LiveCard
  readonly peer: NetworkPeer
  readonly policy: VerificationPolicy
  readonly attempt: VerificationRow
  readonly ctx: RequestContext
}

/** The PAN is open only here: for its daily cap, for a stop, and for the call to the network. */
async function startVerification(request: StartRequest): Promise<VerificationStart | CausedNetworkRefusal> {
  const { deps, live, peer, policy, attempt, ctx } = request
  const { cards, keyring, clock, settings } = deps
  const { merchantId, cardId, expiry } = live.card
  const { network, gate } = peer
  return usePan(cards, live, async (pan) => {
    const stop = await stopOf(deps, policy, { card: live.card, pan, phone: null })
    await requireNotStopped(deps, stop, { merchantId, cardId, requestId: ctx.requestId })
    const caps = dailyCapsOf(deps, merchantId)
    const at = attempt.requestedAt.wallMs
    const claim = caps === null ? null : await sendClaim(keyring, pan, { at, windows: policy.sendWindows, caps })
    await storeAttempt(request, claim)
    const options = { gate, merchantId, clock, timeoutMs: settings.networkTimeoutMs, signal: ctx.signal }
    const isHolderRequired = !policy.isUnknownHolderAccepted
    return callCardNetwork(options, (signal) =>
      network.startVerification({ merchantId, pan, expiry, requestId: attempt.attemptId, isHolderRequired }, signal),
    )
  })
}

/** The phone is known only from the network: a stop of the phone is found here, before anything is sent to it. */
async function requirePhoneNotStopped(dispatch: CodeDispatch, live: LiveCard, phoneRef: string | null): Promise<void> {
  const { deps, policy, card, ctx } = dispatch
  if (phoneRef === null) return
  try {
    const stop = await usePan(deps.cards, live, (pan) => stopOf(deps, policy, { card, pan, phone: phoneRef }))
    await requireNotStopped(deps, stop, { merchantId: card.merchantId, cardId: card.cardId, requestId: ctx.requestId })
  } catch (err) {
    if (err instanceof RpcError)
      await recordDispatchOutcome(dispatch, { sentBy: 'us', networkRef: phoneRef, outcome: 'verificationStopped' }, err)
    throw err
  }
}

/** Throws `holderMismatch`, and nothing is sent, if the phone is not the cardholder's as far as the policy wants to know. */
async function requireHolder(dispatch: CodeDispatch, started: NamedPhone): Promise<void> {
  if (await isHolderAccepted(dispatch, started)) return
  const refusal = new RpcError('holderMismatch')
  const sentBy = started.kind === 'sentByService' ? 'us' : 'network'
  await recordDispatchOutcome(dispatch, { sentBy, outcome: 'holderMismatch' }, refusal)
  throw refusal
}

/** Stores the attempt. The previous code is invalid from then on. */
async function storeAttempt({ deps, policy, attempt, ctx }: StartRequest, pan: SendClaim | null): Promise<void> {
  const { store, recentSends } = deps
  const { merchantId, cardId } = attempt
  const resetWaitMs = pan === null ? 0 : await recentSends.checkReset(pan, { merchantId, cardId, requestId: ctx.requestId })
  if (resetWaitMs > 0) throw new RpcError('sendLimitCard', { retryAfterMs: resetWaitMs })
  const audit = cardActionEntry(ctx, attempt.cardId, { at: attempt.requestedAt.wallMs, action: 'code.requested', outcome: 'requested' })
  const extras = intentionExtras(ctx.idempotency, attempt.attemptId)
  const result = requireNoConflict(
    await store.write(beginVerification, { attempt, limits: { resendWaitMs: policy.resendWaitMs, pan }, audit, ...extras }),
  )
  if (result.ok) {
    if (pan !== null) recentSends.record(pan)
    return
  }
  const { reason, retryAfterMs } = result
  throw new RpcError(reason === 'tooSoon' ? 'resendTooSoon' : 'sendLimitCard', { retryAfterMs })
}
