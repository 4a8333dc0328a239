import { makeSystemClock } from '../../../system-clock.ts'
import type { Sms, SmsDeliveryReport, SmsMessage } from '../sms.ts'

import { makeSmppSms, type SmppSmsOptions } from './smpp-sms.ts'

export interface SmppUnderTest {
  readonly sms: Sms
  readonly reports: SmsDeliveryReport[]
  /** Names of log events. */
  readonly events: string[]
  /** As what the session was bound of which an event tells, in the same order. */
  readonly binds: unknown[]
}

type SmppTestOptions = Partial<Omit<SmppSmsOptions, 'connection'>> & Partial<SmppSmsOptions['connection']>

/** The adapter as the service makes it, with short waits, on a port of the loopback. */
export function connectSmpp(port: number, options: SmppTestOptions = {}, onReport = (): Promise<void> => Promise.resolve()): SmppUnderTest {
  const reports: SmsDeliveryReport[] = []
  const events: string[] = []
  const binds: unknown[] = []
  const { gateway = 'smpp', sender = '4546', alphabet = 'gsm', messageIds = 'same', weight, log, ...connection } = options
  const sms = makeSmppSms({
    gateway,
    sender,
    alphabet,
    messageIds,
    ...(weight === undefined ? {} : { weight }),
    log:
      log ??
      ((event, { bind }) => {
        events.push(event)
        binds.push(bind)
      }),
    connection: {
      host: '127.0.0.1',
      port,
      tls: null,
      bind: { systemId: 'shop', password: 'secret', systemType: '' },
      bindMode: 'transceiver',
      clock: makeSystemClock(),
      replyTimeoutMs: 2000,
      enquireMs: 60_000,
      firstBindMs: 60_000,
      window: 10,
      reconnectMs: 20,
      throttleMs: 20,
      ...connection,
    },
  })
  sms.watchDeliveries?.(async (report) => {
    reports.push(report)
    await onReport()
  })
  return { sms, reports, events, binds }
}

export function smppMessage(text: string): SmsMessage {
  return { messageId: 'a'.repeat(24), merchantId: 'b'.repeat(24), phone: '998901234566', text, lifetimeSeconds: 180 }
}
