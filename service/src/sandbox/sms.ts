import { maskPhone } from '@tessera/contract/card'

import type { Clock } from '../clock.ts'
import type { Sms, SmsMessage, SmsOutcome } from '../sms/sms.ts'
import type { Store } from '../store/store.ts'

import { silenceMs, type FaultyMethod } from './faults.ts'

export interface SandboxSmsParts {
  readonly store: Pick<Store, 'appendInbox' | 'findScenarioStep'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

/** A gateway whose phones are one inbox that everybody may read: the only code that ever comes here is the public one. */
export function makeSandboxSms({ store, clock }: SandboxSmsParts): Sms {
  return Object.freeze({
    async send({ messageId, merchantId, phone, text }: SmsMessage, signal: AbortSignal): Promise<SmsOutcome> {
      const fault = await store.findScenarioStep(merchantId, 'sms' satisfies FaultyMethod)
      if (fault === 'rejected') return 'rejected'
      await store.appendInbox({ id: messageId, at: clock.now(), merchantId, phoneMask: maskPhone(phone), text })
      if (fault === 'lose_answer') await clock.sleep(silenceMs, signal)
      return 'accepted'
    },
  })
}
