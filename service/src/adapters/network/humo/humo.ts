import { toYearMonth } from '@tessera/contract/card'

import type { Clock } from '../../../clock.ts'
import { choiceSetting, httpsUrlSetting, secretFileSetting, textSetting, type AdapterSettingValues } from '../../adapter.ts'
import type { HttpPost } from '../../http/http-post.ts'
import {
  networkAdapter,
  queuedMaxMs,
  somNumericCode,
  type AuthorizationRequest,
  type DeclineReason,
  type FollowUpRequest,
  type Network,
  type NetworkOutcome,
  type NetworkStatus,
  type StatusRequest,
  type VerificationRequest,
  type VerificationStart,
} from '../network.ts'
import { NetworkNotReached } from '../network-not-reached.ts'
import { encodeBodyWithPan, panPlaceholder, wipeCardNumbers } from '../pan-body.ts'
import { routesSetting } from '../routes.ts'

import { makePaymentServer, readDetail, readElement, xmlElement, xmlItems, type PaymentServerReply } from './payment-server.ts'

const settings = {
  cardUrl: httpsUrlSetting('URL of the REST service of cards, to which /v3/iiacs/card is added.'),
  tokenFile: secretFileSetting('File with the bearer token of the REST service.'),
  paymentUrl: httpsUrlSetting('URL of the SOAP service of payments (urn:PaymentServer).'),
  username: textSetting('User name of the basic authentication of the SOAP service.'),
  passwordFile: secretFileSetting('File with the password of the basic authentication.'),
  originator: textSetting('The paymentOriginator of each request; the public clients send the user name.'),
  routes: routesSetting('9860'),
  merchantId: textSetting('The merchant_id of payments.'),
  terminalId: textSetting('The terminal_id of payments.'),
  pointCode: textSetting('The point_code of payments.'),
  centreId: textSetting('The centre_id of payments.'),
  notFoundError: textSetting('The error of a fault by which the host says that it does not know a payment.', '-1'),
  phoneOwner: choiceSetting(
    "Whether your contract says that the phone of a card is the cardholder's; with unknown, a policy that demands it uses the holder service, or refuses.",
    { choices: ['cardholder', 'unknown'], default: 'unknown' },
  ),
}

/**
 * Humo in the shape of its public integrations: REST for the state and the phone of a card (the service sends the code), SOAP for payments. A hold is one call, a
 * debit a hold and its confirmation; each is known by `paymentRef`, our request id. docs/guides/humo.md names the source of each field. Certified by nobody.
 */
export const humoNetwork = networkAdapter({
  name: 'humo',
  isForTestOnly: false,
  settings,
  create({ settings: given, http, request, clock }) {
    const { paymentUrl: url, username, passwordFile: password, originator } = given
    return new HumoNetwork({ given, http, clock, call: makePaymentServer({ url, username, password, originator, request }) }).toPort()
  },
})

interface HumoOptions {
  readonly given: AdapterSettingValues<typeof settings>
  readonly http: HttpPost
  readonly clock: Clock
  readonly call: ReturnType<typeof makePaymentServer>
}

class HumoNetwork {
  readonly #options: HumoOptions

  constructor(options: HumoOptions) {
    this.#options = options
  }

  toPort(): Network {
    const { clock, given } = this.#options
    return {
      routes: given.routes,
      admit: () => Promise.resolve(null),
      precheckCard: () => Promise.resolve(null),
      checkCode: () => Promise.resolve({ kind: 'unknown' }),
      startVerification: (request, signal) => this.#startVerification(request, signal),
      // The time of the call. It tells how long a call that the host does not know may have been in a queue, and that an attempt was made.
      issueTrace: async () => String(clock.now()),
      authorize: (request, signal) => this.#authorize(request, signal),
      capture: (request, signal) => this.#capture(request, signal),
      cancelHold: (request, signal) => this.#cancel(request, signal),
      refund: (request, signal) => this.#return(request, signal),
      reverse: (request, signal) => this.#reverse(request, signal),
      status: (request, signal) => this.#status(request, signal),
    }
  }

  async #startVerification({ pan, requestId }: VerificationRequest, signal: AbortSignal): Promise<VerificationStart> {
    const { given, http } = this.#options
    const params = { primaryAccountNumber: panPlaceholder, mb_flag: 1 }
    const body = encodeBodyWithPan(JSON.stringify({ id: requestId, params }), pan)
    const url = new URL(`${given.cardUrl.href.replace(/\/$/, '')}/v3/iiacs/card`)
    try {
      const result = await http({ url, headers: { authorization: `Bearer ${given.tokenFile}`, accept: 'application/json' }, body }, signal)
      if (result.outcome !== 'responded' && result.mayHaveArrived === false) throw new NetworkNotReached()
      if (result.outcome !== 'responded' || result.body === null) return { kind: 'refused', reason: 'timeout' }
      wipeCardNumbers(result.body)
      return readCardInfo(Buffer.from(result.body).toString('utf8'), given.phoneOwner === 'cardholder')
    } finally {
      body.fill(0)
    }
  }

  async #authorize({ pan, expiry, requestId, amountTiyin, hold }: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const { merchantId, terminalId, pointCode, centreId } = this.#options.given
    const details = xmlItems({
      pan: panPlaceholder,
      expiry: toYearMonth(expiry),
      ccy_code: somNumericCode,
      amount: String(amountTiyin),
      merchant_id: merchantId,
      terminal_id: terminalId,
      point_code: pointCode,
      centre_id: centreId,
    })
    const kind = '<language>en</language><billerRef>SOAP_DMS</billerRef><payinstrRef>SOAP_DMS</payinstrRef>'
    const content = `${kind}${xmlElement('sessionID', `SOAP_DMS-${requestId}`)}${xmlElement('paymentRef', requestId)}<details>${details}</details>`
    const reply = await this.#options.call({ element: 'Payment', content, pan }, signal)
    if (reply.kind !== 'response') return toRefusedOutcome(reply)
    const paymentId = readPayment(reply.xml, { paymentRef: requestId, amountTiyin, actions: [awaitingConfirmation, finished] })
    if (paymentId === null) return { kind: 'unknown' }
    if (hold || readElement(reply.xml, 'action') === finished) return { kind: 'approved', networkRef: paymentId }
    // A confirmation that is not sent leaves a hold behind like a refused one.
    return toConfirmedOutcome(await this.#confirm({ paymentRef: requestId, paymentId, amountTiyin }, signal), requestId, amountTiyin)
  }

  async #capture({ ofRequestId, networkRef, amountTiyin }: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const reply = await this.#confirm({ paymentRef: ofRequestId, paymentId: networkRef, amountTiyin }, signal)
    if (reply.kind === 'notReached') throw new NetworkNotReached()
    return toConfirmedOutcome(reply, ofRequestId, amountTiyin)
  }

  #confirm(
    { paymentRef, paymentId, amountTiyin }: { readonly paymentRef: string; readonly paymentId: string; readonly amountTiyin: number },
    signal: AbortSignal,
  ): Promise<PaymentServerReply> {
    const payment = `${xmlElement('paymentID', paymentId)}${xmlElement('paymentRef', paymentRef)}`
    const content = `${payment}<details>${xmlItems({ amount: String(amountTiyin) })}</details><confirmed>true</confirmed><finished>true</finished>`
    return this.#options.call({ element: 'Payment', content }, signal)
  }

  async #cancel({ ofRequestId, networkRef }: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const reply = await this.#options.call({ element: 'CancelRequest', content: xmlElement('paymentRef', ofRequestId) }, signal)
    return reply.kind === 'response' ? { kind: 'approved', networkRef } : { kind: 'unknown' }
  }

  async #return({ ofRequestId, networkRef }: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const { merchantId, terminalId, centreId } = this.#options.given
    const items = xmlItems({ merchant_id: merchantId, centre_id: centreId, terminal_id: terminalId })
    const reply = await this.#options.call(
      { element: 'ReturnPayment', content: `${xmlElement('paymentRef', ofRequestId)}${items}` },
      signal,
    )
    return reply.kind === 'response' ? { kind: 'approved', networkRef } : { kind: 'unknown' }
  }

  /** What is not confirmed is cancelled, and what is confirmed is returned: which of them it is, is not known after a lost reply. */
  async #reverse(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const found = await this.#find(request.ofRequestId, signal)
    if (this.#isUnknownPayment(found)) {
      // One that was sent just now may still be on its way, so the reversal is repeated until that is over.
      const decidesAt = Number(request.ofTrace) + queuedMaxMs
      const isOver = this.#options.clock.now() > decidesAt
      return isOver ? { kind: 'approved', networkRef: '' } : { kind: 'unknown', isAnswered: true, decidesAt }
    }
    if (found.kind !== 'response') return { kind: 'unknown' }
    if (isReturned(found.xml)) return { kind: 'approved', networkRef: request.networkRef }
    const cancelled = await this.#cancel(request, signal)
    return cancelled.kind === 'approved' ? cancelled : this.#return(request, signal)
  }

  /** Only refunds can be looked up: what the status of a payment that was held, confirmed or cancelled is, no public source says. */
  async #status({ kind, ofRequestId, networkRef }: StatusRequest, signal: AbortSignal): Promise<NetworkStatus> {
    if (kind !== 'refund') return { kind: 'noInquiry' }
    const found = await this.#find(ofRequestId, signal)
    if (found.kind !== 'response') return { kind: 'unknown' }
    return isReturned(found.xml) ? { kind: 'approved', networkRef } : { kind: 'neverSeen' }
  }

  #find(paymentRef: string, signal: AbortSignal): Promise<PaymentServerReply> {
    return this.#options.call({ element: 'GetPayment', content: `${xmlElement('paymentRef', paymentRef)}<sessionID/>` }, signal)
  }

  #isUnknownPayment(reply: PaymentServerReply): boolean {
    return reply.kind === 'fault' && reply.error === this.#options.given.notFoundError
  }
}

/** The paymentID of a payment that was approved for this reference and amount; null otherwise. */
function readPayment(
  xml: string,
  expected: { readonly paymentRef: string; readonly amountTiyin: number; readonly actions: readonly string[] },
): string | null {
  const paymentId = readElement(xml, 'paymentID') ?? ''
  const isExpected =
    paymentId !== '' &&
    expected.actions.includes(readElement(xml, 'action') ?? '') &&
    readElement(xml, 'paymentRef') === expected.paymentRef &&
    readDetail(xml, 'amount') === String(expected.amountTiyin) &&
    ['000', '001', null].includes(readDetail(xml, 'auth_action_code'))
  return isExpected ? paymentId : null
}

/** A refused confirmation leaves a hold behind, which has to be released: it is unknown, so that the service reverses it or sends it again. */
function toConfirmedOutcome(reply: PaymentServerReply, paymentRef: string, amountTiyin: number): NetworkOutcome {
  if (reply.kind !== 'response') return { kind: 'unknown' }
  const confirmed = readPayment(reply.xml, { paymentRef, amountTiyin, actions: [finished] })
  return confirmed === null ? { kind: 'unknown' } : { kind: 'approved', networkRef: confirmed }
}

function isReturned(xml: string): boolean {
  return Number(readDetail(xml, 'refunded_amount') ?? '0') > 0
}

/** Throws `NetworkNotReached`: the reply must be that of the first request of a call. */
function toRefusedOutcome(reply: Exclude<PaymentServerReply, { kind: 'response' }>): NetworkOutcome {
  if (reply.kind === 'notReached') throw new NetworkNotReached()
  if (reply.kind === 'notProcessed') return { kind: 'declined', reason: 'systemError', rawCode: 'not_processed' }
  // 1xx and 2xx are the action codes of ISO 8583:1993 for declined and declined with pick-up. Others do not say that nothing was taken.
  if (reply.kind !== 'fault' || !/^[12][0-9]{2}$/.test(reply.error)) return { kind: 'unknown' }
  return { kind: 'declined', reason: reasonsByError[reply.error] ?? 'declined', rawCode: reply.error }
}

/** Throws nothing: a reply that is none is a failure of the host. */
function readCardInfo(text: string, isHolders: boolean): VerificationStart {
  const reply = parseJson(text) as CardInfoReply | null
  const { card, mb } = reply?.result ?? {}
  if (card === undefined || card === null) return { kind: 'refused', reason: 'systemError' }
  const items: CardStatuses = Array.isArray(card.statuses?.item) ? (card.statuses.item as CardStatuses) : []
  const code = items.find((item) => item?.type === 'card')?.actionCode ?? '000'
  if (code !== '000') return { kind: 'refused', reason: 'cardBlocked' }
  const phone = mb?.state === 'on' && typeof mb.phone === 'string' ? mb.phone.replaceAll(/[+\s-]/g, '') : ''
  if (!/^[0-9]{9,15}$/.test(phone)) return { kind: 'refused', reason: 'smsNotConnected' }
  return { kind: 'sentByService', phone, ...(isHolders ? { holder: 'match' as const } : {}) }
}

type CardStatuses = readonly ({ readonly type?: unknown; readonly actionCode?: unknown } | null)[]

interface CardInfoReply {
  readonly result?: {
    readonly card?: { readonly statuses?: { readonly item?: unknown } | null } | null
    readonly mb?: { readonly state?: unknown; readonly phone?: unknown } | null
  } | null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const reasonsByError: Readonly<Record<string, DeclineReason>> = Object.freeze({
  101: 'cardExpired',
  104: 'cardBlocked',
  106: 'cardBlocked',
  116: 'insufficientFunds',
  121: 'cardLimit',
  123: 'cardLimit',
  125: 'cardBlocked',
  204: 'cardBlocked',
  206: 'cardBlocked',
  207: 'cardBlocked',
  208: 'cardBlocked',
  209: 'cardBlocked',
  280: 'cardBlocked',
  281: 'cardBlocked',
})

/** `action` of a payment that is held and awaits its confirmation, and of one that is finished. */
const awaitingConfirmation = '4'
const finished = '10'
