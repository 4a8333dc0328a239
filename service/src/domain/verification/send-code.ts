import { maskPhone } from '@tessera/contract/card'
import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'

import { dailyCapsOf, sendClaim } from './daily-caps.ts'
import { codeRequestResult, recordDispatchOutcome, type CodeDispatch, type CodeRequestResult } from './dispatch.ts'
import { formatCodeMessage } from './code-message.ts'
import { claimSend } from '../../store/send-limits.ts'

/** A code of the service, and the phone that the network returned for it. */
export interface ServiceSentCode {
  /** 9 to 15 digits. */
  readonly phone: string
  readonly code: string
  /** What the phone counts under for a stop; null where phones are not stopped. */
  readonly phoneRef: string | null
  readonly language: Language
  /** Of the page that embeds the form; null when it is not known. */
  readonly shopHost: string | null
}

/**
 * Sends the service's code and returns the masked phone. Until the outcome is stored, no code is checked against the attempt, so a crash in between does
 * no harm.
 */
export async function sendCode(
  dispatch: CodeDispatch,
  { phone, phoneRef, code, language, shopHost }: ServiceSentCode,
): Promise<CodeRequestResult> {
  const { deps, card, policy, attempt, ctx } = dispatch
  const { merchantId } = card
  const { providerName, formHost } = deps.settings
  const phoneMask = maskPhone(phone)
  // Before the message counts in any limit.
  const refusalMs = deps.sms.refusalMs(merchantId)
  if (refusalMs > 0) return refuseUnsent(dispatch, phoneMask, refusalMs)
  await claimPhone(dispatch, phone)
  const lifetimeSeconds = policy.lifetimeMs / 1000
  const text = formatCodeMessage(language, { code, maskedPan: card.maskedPan, lifetimeSeconds, providerName, formHost, shopHost })
  await requireSmsGuard(dispatch, phone, text)
  const message = { messageId: attempt.attemptId, merchantId, phone, text, lifetimeSeconds, purpose: 'code', subject: card.cardId } as const
  const outcome = await deps.sms.send(message, { timeoutMs: deps.settings.smsTimeoutMs, signal: ctx.signal })
  if (outcome.kind === 'not_called') return refuseUnsent(dispatch, phoneMask, outcome.retryAfterMs)
  const reply =
    outcome.kind === 'rejected'
      ? new RpcError('smsNotSent', { retryAfterMs: policy.resendWaitMs })
      : codeRequestResult(deps, policy, phoneMask)
  const sent = { sentBy: 'us', phoneMask, networkRef: phoneRef, outcome: outcome.kind === 'accepted' ? 'sent' : outcome.kind } as const
  await recordDispatchOutcome(dispatch, sent, reply)
  if (reply instanceof RpcError) throw reply
  return reply
}

/** The gateway was not called. Another code may be requested as early as after one that was sent. */
async function refuseUnsent(dispatch: CodeDispatch, phoneMask: string, refusalMs: number): Promise<never> {
  const error = new RpcError('smsNotSent', { retryAfterMs: Math.max(refusalMs, dispatch.policy.resendWaitMs) })
  await recordDispatchOutcome(dispatch, { sentBy: 'us', phoneMask, outcome: 'gatewayUnavailable' }, error)
  throw error
}

async function claimPhone(dispatch: CodeDispatch, phone: string): Promise<void> {
  const { store, keyring, clock, recentSends } = dispatch.deps
  const { merchantId, cardId } = dispatch.card
  const caps = dailyCapsOf(dispatch.deps, merchantId)
  if (caps === null) return
  const claim = await sendClaim(keyring, Buffer.from(phone, 'latin1'), { at: clock.now(), windows: dispatch.policy.sendWindows, caps })
  const resetWaitMs = await recentSends.checkReset(claim, { merchantId, cardId, requestId: dispatch.ctx.requestId })
  const claimed = resetWaitMs > 0 ? { claimed: false as const, retryAfterMs: resetWaitMs } : await store.write(claimSend, claim)
  if (claimed.claimed) {
    recentSends.record(claim)
    return
  }
  const limit = new RpcError('sendLimitPhone', { retryAfterMs: claimed.retryAfterMs })
  await recordDispatchOutcome(dispatch, { sentBy: 'us', outcome: 'phoneLimit' }, limit)
  throw limit
}

/** Runs last, so that only messages that are sent are counted. */
async function requireSmsGuard(dispatch: CodeDispatch, phone: string, text: string): Promise<void> {
  try {
    dispatch.deps.smsGuard.checkAndCount({ merchantId: dispatch.card.merchantId, phone, text, isCode: true })
  } catch (err) {
    if (err instanceof RpcError) await recordDispatchOutcome(dispatch, { sentBy: 'us', outcome: 'sendRefused' }, err)
    throw err
  }
}
