import { withTimeout, type TimeoutOptions } from '../../clock.ts'
import type { Sms, SmsMessage, SmsOutcome, SmsResult } from '../../adapters/sms/sms.ts'
import { PeerUnavailable, type PeerGate } from '../limits/peer-gate.ts'

export interface SmsCallOptions extends TimeoutOptions {
  readonly sms: Sms
  readonly gate: PeerGate
}

/** The outcome of a message. `not_called`: it was not sent, because the gateway does not respond. */
export type SmsCallOutcome = { readonly kind: SmsOutcome } | { readonly kind: 'not_called'; readonly retryAfterMs: number }

/** Sends a message, unless the gateway's breaker is open. If the gateway fails without a response the message may have been sent: `unknown`. */
export async function callSms({ sms, gate, ...timeout }: SmsCallOptions, message: SmsMessage): Promise<SmsCallOutcome> {
  const send = (): Promise<SmsResult> => withTimeout<SmsResult>(timeout, lateResult, (signal) => sms.send(message, signal))
  try {
    const result = await gate.call(message.merchantId, send, ({ outcome }) => (outcome === 'unknown' ? 'failed' : 'succeeded'))
    return { kind: result.outcome }
  } catch (err) {
    return err instanceof PeerUnavailable ? { kind: 'not_called', retryAfterMs: err.retryAfterMs } : { kind: 'unknown' }
  }
}

const lateResult: SmsResult = Object.freeze({ outcome: 'unknown', error: 'late' })
