import { maskPhone } from '@tessera/contract/card'

import type { Clock } from '../../clock.ts'
import { smsAdapter, type Sms, type SmsMessage, type SmsResult } from '../sms/sms.ts'
import { findScenarioStep, insertInboxSms } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'

import { silenceMs, type FaultyMethod } from './faults.ts'

export interface SandboxSmsDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

/** The SMS gateway of the test environment: an inbox that the dashboard and `tessera sandbox inbox` show. */
export const sandboxSms = smsAdapter({ name: 'sandbox', isForTestOnly: true, settings: {}, create: makeSandboxSms })

/** A gateway that delivers every message to one inbox. The inbox is public, because it only receives the public test code. */
export function makeSandboxSms({ store, clock }: SandboxSmsDependencies): Sms {
  return Object.freeze({
    isSimulated: true,
    async send({ messageId, merchantId, phone, text }: SmsMessage, signal: AbortSignal): Promise<SmsResult> {
      const fault = await store.read(findScenarioStep(merchantId, 'sms' satisfies FaultyMethod))
      if (fault === 'rejected') return { outcome: 'rejected', error: 'simulated' }
      await store.write(insertInboxSms, { id: messageId, at: clock.now(), merchantId, phoneMask: maskPhone(phone), text })
      if (fault === 'lose_answer') await clock.sleep(silenceMs, signal)
      return { outcome: 'accepted', gatewayMessageId: messageId }
    },
  })
}
