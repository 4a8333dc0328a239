import { callGraceMs, type Clock } from '../../clock.ts'

import type { Sms, SmsOutcome } from './sms.ts'

/** One message that was given to the SMS gateway. `failed`: the adapter threw, or was given up after the timeout. */
export interface SmsSend {
  readonly outcome: SmsOutcome | 'failed'
  readonly ms: number
}

export interface ObserveSmsOptions {
  readonly sms: Sms
  readonly onSend: (send: SmsSend) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly clock: Pick<Clock, 'sleep'>
}

/** Returns the gateway with every message reported to `onSend`, once: when its call ends, or when its caller has given it up. */
export function observeSms({ sms, onSend, now, clock }: ObserveSmsOptions): Sms {
  return Object.freeze<Sms>({
    async send(message, signal) {
      const startedAt = now()
      let isReported = false
      const report = (outcome: SmsSend['outcome']): void => {
        if (!isReported) onSend({ outcome, ms: now() - startedAt })
        isReported = true
      }
      const ended = new AbortController()
      const fail = (): void => report('failed')
      const giveUp = (): void => void clock.sleep(callGraceMs, ended.signal).then(fail, () => undefined)
      signal.addEventListener('abort', giveUp, { once: true })
      try {
        const result = await sms.send(message, signal)
        report(result.outcome)
        return result
      } catch (err) {
        fail()
        throw err
      } finally {
        signal.removeEventListener('abort', giveUp)
        ended.abort()
      }
    },
  })
}
