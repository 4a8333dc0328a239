import { maskPhone } from '@tessera/contract/card'
import { countSmsSegments } from '@tessera/contract/sms-text'
import { hashPhone } from '@tessera/vault/keyed-hashes'
import type { Keyring } from '@tessera/vault/keyring'

import { callGraceMs, withTimeout, type Clock } from '../../clock.ts'
import type { Sms, SmsMessage, SmsOutcome, SmsResult } from '../../adapters/sms/sms.ts'
import { insertSmsSend, recordSmsResult, withdrawSmsSend, type SmsSendRow } from '../../store/sms-sends.ts'
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
  /** Its share of the messages; 0: only those that the others rejected. */
  readonly weight: number
  readonly sms: Pick<Sms, 'send'>
  readonly gate: PeerGate
}

export interface SmsSenderDependencies {
  readonly gateways: readonly SmsGateway[]
  /** A random integer from 0 to below a bound. */
  readonly random: (bound: number) => number
  readonly store: Pick<Store, 'write'>
  readonly keyring: Pick<Keyring, 'active'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly reports: Pick<DeliveryReports, 'messageStored'>
  /** Called when what became of a message could not be stored. */
  readonly onUnstored: (err: unknown) => void
}

/**
 * The gateways are tried in an order that is drawn by their weights. The next one is called only after the one before has rejected the message or was not
 * called: after an unknown outcome the cardholder could get a second SMS.
 */
export function makeSmsSender(deps: SmsSenderDependencies): SmsSender {
  const { gateways, random } = deps
  return Object.freeze<SmsSender>({
    refusalMs: (merchantId) => refusalOf(gateways, merchantId),
    async send(message, wait) {
      let outcome: SmsCallOutcome = { kind: 'not_called', retryAfterMs: Infinity }
      for (const gateway of drawOrder(gateways, random)) {
        const next = await sendThrough(deps, gateway, message, wait)
        if (next.kind === 'accepted' || next.kind === 'unknown') return next
        outcome = combine(outcome, next)
        if (wait.signal.aborted) break
      }
      return outcome
    },
  })
}

/** A message that no gateway would get counts as refused once, by the one that could be called first. */
function refusalOf(gateways: readonly SmsGateway[], merchantId: string): number {
  const waits = gateways.map(({ gate }) => ({ gate, ms: gate.waitMs(merchantId) })).sort((a, b) => a.ms - b.ms)
  const [first] = waits
  return first === undefined || first.ms === 0 ? 0 : first.gate.refusalMs(merchantId)
}

/** A rejection says more than that a gateway was not called; of several waits the shortest counts. */
function combine(before: SmsCallOutcome, next: SmsCallOutcome): SmsCallOutcome {
  if (before.kind === 'not_called' && next.kind === 'not_called')
    return { kind: 'not_called', retryAfterMs: Math.min(before.retryAfterMs, next.retryAfterMs) }
  return { kind: 'rejected' }
}

/** Each place goes to one of the gateways that are left, by their weights; those without weight come last, as they are configured. */
function drawOrder(gateways: readonly SmsGateway[], random: (bound: number) => number): readonly SmsGateway[] {
  const weighted = gateways.filter(({ weight }) => weight > 0)
  const order: SmsGateway[] = []
  while (weighted.length > 1) {
    let drawn = random(weighted.reduce((sum, { weight }) => sum + weight, 0))
    const at = weighted.findIndex(({ weight }) => (drawn -= weight) < 0)
    order.push(...weighted.splice(at, 1))
  }
  return [...order, ...weighted, ...gateways.filter(({ weight }) => weight === 0)]
}

/** Gives the message to one gateway, unless its breaker is open. Without a reply the message may have been sent: `unknown`. */
export async function sendThrough(
  deps: SmsSenderDependencies,
  { name, sms, gate }: Pick<SmsGateway, 'name' | 'sms'> & { readonly gate: Pick<PeerGate, 'refusalMs' | 'call'> },
  message: OutgoingSms,
  { timeoutMs, signal }: SmsWait,
): Promise<SmsCallOutcome> {
  const retryAfterMs = gate.refusalMs(message.merchantId)
  if (retryAfterMs > 0) return { kind: 'not_called', retryAfterMs }
  await storeIntention(deps, name, message)
  // A gateway that was late may be certain that it sent nothing: it says so within the rest of the time, and another one takes over.
  const graceMs = Math.min(callGraceMs, timeoutMs / 10)
  const timeout = { clock: deps.clock, timeoutMs: timeoutMs - graceMs, signal, graceMs }
  const call = (): Promise<SmsResult> => withTimeout<SmsResult>(timeout, lateResult, (ending) => sms.send(message, ending))
  try {
    const result = await gate.call(message.merchantId, call, ({ outcome }) => (outcome === 'unknown' ? 'failed' : 'succeeded'))
    await storeResult(deps, name, message, result)
    return { kind: result.outcome }
  } catch (err) {
    if (!(err instanceof PeerUnavailable)) {
      await storeResult(deps, name, message, failedResult)
      return { kind: 'unknown' }
    }
    await withdrawIntention(deps, name, message)
    return { kind: 'not_called', retryAfterMs: err.retryAfterMs }
  }
}

/** Its last place was taken while the message was being stored: nothing is left of it, as of one that was refused before. */
async function withdrawIntention({ store, onUnstored }: SmsSenderDependencies, gateway: string, { messageId }: OutgoingSms): Promise<void> {
  await store.write(withdrawSmsSend, { messageId, gateway }).catch(onUnstored)
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
