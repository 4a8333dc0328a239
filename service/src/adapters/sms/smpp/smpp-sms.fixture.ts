import type { TestContext } from 'node:test'

import { makeSystemClock } from '../../../system-clock.ts'
import type { Sms, SmsDeliveryReport, SmsMessage, SmsResult } from '../sms.ts'
import { describeSms } from '../sms.suite.ts'

import { startSmppServer, textOf, type SmppServer } from './smpp-server.fixture.ts'
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

/** The adapter and a message centre of its own; both end with the test. */
export async function openSmppWithServer(
  t: TestContext,
  options: SmppTestOptions = {},
  onReport?: () => Promise<void>,
): Promise<SmppUnderTest & { readonly server: SmppServer; readonly send: (text?: string, signal?: AbortSignal) => Promise<SmsResult> }> {
  const server = await startSmppServer()
  const connected = connectSmpp(server.port, options, onReport)
  t.after(async () => {
    await connected.sms.close?.()
    await server.close()
  })
  const send = (text = 'Code 123456', signal = new AbortController().signal): Promise<SmsResult> =>
    connected.sms.send(smppMessage(text), signal)
  return { server, ...connected, send }
}

/** The suite of SMS adapters, against a message centre. */
export function describeSmpp(name: string, options: SmppTestOptions = {}): void {
  describeSms(name, async () => {
    const server = await startSmppServer()
    const { sms } = connectSmpp(server.port, options)
    const texts: string[] = []
    let next: 'accept' | 'reject' | 'silent' = 'accept'
    server.reply = (pdu) => {
      const behavior = next
      next = 'accept'
      if (behavior === 'reject') return { command_status: invalidAddress }
      texts.push(textOf(pdu))
      return behavior === 'silent' ? null : { message_id: 'm1' }
    }
    return {
      sms,
      receivedTexts: async () => texts,
      rejectNext: async () => void (next = 'reject'),
      loseNextAnswer: async () => void (next = 'silent'),
      close: async () => {
        await sms.close?.()
        await server.close()
      },
    }
  })
}

const invalidAddress = 0x0b
