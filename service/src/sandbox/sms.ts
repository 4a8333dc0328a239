import { maskPhone } from '@tessera/contract/card'

import type { Clock } from '../clock.ts'
import type { Sms, SmsMessage, SmsOutcome } from '../sms/sms.ts'
import type { Store } from '../store/store.ts'

export interface SandboxSmsParts {
  readonly store: Pick<Store, 'appendInbox'>
  readonly clock: Pick<Clock, 'now'>
}

/** A gateway whose phones are one inbox that everybody may read: the only code that ever comes here is the public one. */
export function makeSandboxSms({ store, clock }: SandboxSmsParts): Sms {
  return Object.freeze({
    async send({ messageId, merchantId, phone, text }: SmsMessage): Promise<SmsOutcome> {
      await store.appendInbox({ id: messageId, at: clock.now(), merchantId, phoneMask: maskPhone(phone), text })
      return 'accepted'
    },
  })
}
