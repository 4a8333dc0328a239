import { maskPhone } from '@tessera/contract/card'
import type { Language } from '@tessera/contract/envelope'
import { RpcError } from '@tessera/contract/errors'

import { askWithin } from '../cards/refusal.ts'
import type { SmsMessage, SmsOutcome } from '../sms/sms.ts'

import { capsOf, sendClaim } from './limits.ts'
import { settle, type Sending, type SentCode } from './sending.ts'
import { codeText } from './text.ts'

/** Our code, and the phone that the network named for it. */
export interface OurCode {
  /** 9 to 15 digits. */
  readonly phone: string
  readonly code: string
  readonly language: Language
}

/**
 * Sends our code and tells to which phone. Until this is settled the attempt is nobody's, and nobody's code is compared with ours:
 * a crash in between loses nothing.
 */
export async function sendCode(sending: Sending, { phone, code, language }: OurCode): Promise<SentCode> {
  const { parts, card, attempt } = sending
  const { codeLifeMs, providerName, formHost, resendWaitMs } = parts.figures
  const phoneMask = maskPhone(phone)
  await claimPhone(sending, phone)
  const lifeSeconds = codeLifeMs / 1000
  const text = codeText(language, { code, maskedPan: card.maskedPan, lifeSeconds, providerName, formHost })
  await expectGuard(sending, phone, text)
  const outcome = await send(sending, { messageId: attempt.attemptId, merchantId: card.merchantId, phone, text, lifeSeconds })
  const answer = outcome === 'rejected' ? new RpcError('smsNotSent', { retryAfterMs: resendWaitMs }) : { phoneMask, waitMs: resendWaitMs }
  await settle(sending, { sentBy: 'us', phoneMask, outcome: outcome === 'accepted' ? 'sent' : outcome }, answer)
  if (answer instanceof RpcError) throw answer
  return answer
}

async function claimPhone(sending: Sending, phone: string): Promise<void> {
  const { store, keyring, clock, figures } = sending.parts
  const caps = capsOf(sending.parts, sending.card.merchantId)
  if (caps === null) return
  const claimed = await store.claimPhoneSend(
    await sendClaim(keyring, Buffer.from(phone, 'latin1'), { at: clock.now(), windows: figures.sendWindows, caps }),
  )
  if (claimed.claimed) return
  const limit = new RpcError('sendLimitPhone', { retryAfterMs: claimed.retryAfterMs })
  await settle(sending, { sentBy: 'us', outcome: 'phoneLimit' }, limit)
  throw limit
}

/** Asked last, so that only what goes out is counted. */
async function expectGuard(sending: Sending, phone: string, text: string): Promise<void> {
  try {
    sending.parts.smsGuard.admit({ merchantId: sending.card.merchantId, phone, text, isCode: true })
  } catch (err) {
    if (err instanceof RpcError) await settle(sending, { sentBy: 'us', outcome: 'sendRefused' }, err)
    throw err
  }
}

/** A gateway that fails without a word may have sent it: that counts as sent, and nothing is sent twice. */
async function send({ parts, asker }: Sending, message: SmsMessage): Promise<SmsOutcome> {
  const { sms, clock, figures } = parts
  const patience = { clock, timeoutMs: figures.smsTimeoutMs, signal: asker.signal }
  try {
    return await askWithin<SmsOutcome>(patience, 'unknown', (signal) => sms.send(message, signal))
  } catch {
    return 'unknown'
  }
}
