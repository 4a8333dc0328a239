import { maskPhone } from '@tessera/contract/card'
import { countSmsSegments } from '@tessera/contract/sms-text'
import { hashPhone } from '@tessera/vault/keyed-hashes'
import type { Keyring } from '@tessera/vault/keyring'

import { withTimeout, type Clock } from '../../clock.ts'
import type { Sms, SmsMessage, SmsOutcome, SmsResult } from '../../adapters/sms/sms.ts'
import { insertSmsSend, recordSmsResult, type SmsSendRow } from '../../store/sms-sends.ts'
import type { Store } from '../../store/store.ts'
import { PeerUnavailable, type PeerGate } from '../limits/peer-gate.ts'

import type { DeliveryReports } from './delivery-reports.ts'
import { storedGatewayId, storedSmsError } from './stored-text.ts'

/** Sends messages through the SMS gateways, and stores each before the gateway is called and what became of it. */
export interface SmsSender {
  /** 0 if a gateway would be called now. Ask before anything is stored for the message: a refusal then costs nothing. */
  refusalMs(merchantId: string): number
  /** Throws what the store throws when the message cannot be stored: then it was not sent. */
  send(message: OutgoingSms, wait: SmsWait): Promise<SmsCallOutcome>
}

export interface OutgoingSms extends SmsMessage {
  readonly purpose: SmsSendRow['purpose']
  /** The id of the card or receipt; '' for a test. */
  readonly subject: string
}

export interface SmsWait {
  readonly timeoutMs: number
  /** Ends the wait early: the service is stopping. */
  readonly signal: AbortSignal
}

/** The outcome of a message. `not_called`: it was not sent, because no gateway responds. */
export type SmsCallOutcome = { readonly kind: SmsOutcome } | { readonly kind: 'not_called'; readonly retryAfterMs: number }

export interface SmsGateway {
  readonly name: string
  readonly sms: Sms
  readonly gate: PeerGate
}

export interface SmsSenderDependencies {
  readonly gateways: readonly SmsGateway[]
  readonly store: Pick<Store, 'write'>
  readonly keyring: Pick<Keyring, 'active'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly reports: Pick<DeliveryReports, 'messageStored'>
  /** Called when what became of a message could not be stored. */
  readonly onUnstored: (err: unknown) => void
}

export function makeSmsSender(deps: SmsSenderDependencies): SmsSender {
  const { gateways } = deps
  return Object.freeze<SmsSender>({
    refusalMs: (merchantId) => Math.min(...gateways.map(({ gate }) => gate.refusalMs(merchantId))),
    async send(message, wait) {
      const [gateway] = gateways
      if (gateway === undefined) throw new Error('there is no SMS gateway')
      return sendThrough(deps, gateway, message, wait)
    },
  })
}

/** Gives the message to one gateway, unless its breaker is open. Without a reply the message may have been sent: `unknown`. */
export async function sendThrough(
  deps: SmsSenderDependencies,
  { name, sms, gate }: Omit<SmsGateway, 'gate'> & { readonly gate: Pick<PeerGate, 'refusalMs' | 'call'> },
  message: OutgoingSms,
  { timeoutMs, signal }: SmsWait,
): Promise<SmsCallOutcome> {
  const retryAfterMs = gate.refusalMs(message.merchantId)
  if (retryAfterMs > 0) return { kind: 'not_called', retryAfterMs }
  await storeIntention(deps, name, message)
  const timeout = { clock: deps.clock, timeoutMs, signal }
  const call = (): Promise<SmsResult> => withTimeout<SmsResult>(timeout, lateResult, (ending) => sms.send(message, ending))
  try {
    const result = await gate.call(message.merchantId, call, ({ outcome }) => (outcome === 'unknown' ? 'failed' : 'succeeded'))
    await storeResult(deps, name, message, result)
    return { kind: result.outcome }
  } catch (err) {
    const wasCalled = !(err instanceof PeerUnavailable)
    await storeResult(deps, name, message, wasCalled ? failedResult : notCalledResult)
    return err instanceof PeerUnavailable ? { kind: 'not_called', retryAfterMs: err.retryAfterMs } : { kind: 'unknown' }
  }
}

async function storeIntention({ store, keyring, clock }: SmsSenderDependencies, gateway: string, message: OutgoingSms): Promise<void> {
  const { messageId, merchantId, phone, text, purpose, subject } = message
  const dek = await keyring.active('phone')
  const send: SmsSendRow = {
    messageId,
    gateway,
    merchantId,
    purpose,
    subject,
    keyId: dek.keyId,
    phoneHash: hashPhone(dek, Buffer.from(phone, 'latin1')),
    phoneMask: maskPhone(phone),
    parts: countSmsSegments(text),
    requestedAt: clock.now(),
    outcome: 'requested',
    acceptedAt: null,
    gatewayMessageId: '',
    deliveredAt: null,
    failedAt: null,
    error: '',
  }
  await store.write(insertSmsSend, { send })
}

/** What the gateway said counts, also when it cannot be stored. */
async function storeResult(
  { store, clock, reports, onUnstored }: SmsSenderDependencies,
  gateway: string,
  { messageId }: OutgoingSms,
  { outcome, gatewayMessageId, error }: SmsResult,
): Promise<void> {
  const id = storedGatewayId(gatewayMessageId)
  const [acceptedAt, failedAt] = [outcome === 'accepted' ? clock.now() : null, outcome === 'rejected' ? clock.now() : null]
  const result = { messageId, gateway, outcome, acceptedAt, failedAt, gatewayMessageId: id, error: storedSmsError(error) }
  try {
    await store.write(recordSmsResult, { result })
    if (id !== '') await reports.messageStored(gateway, id)
  } catch (err) {
    onUnstored(err)
  }
}

const lateResult: SmsResult = Object.freeze({ outcome: 'unknown', error: 'late' })
const failedResult: SmsResult = Object.freeze({ outcome: 'unknown', error: 'adapter failed' })
const notCalledResult: SmsResult = Object.freeze({ outcome: 'rejected', error: 'not called' })
