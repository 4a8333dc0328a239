import { toYearMonth } from '@tessera/contract/card'

import type { Clock } from '../../../clock.ts'
import { choiceSetting, httpsUrlSetting, integerSetting, secretFileSetting, textSetting, type AdapterSettingValues } from '../../adapter.ts'
import {
  networkAdapter,
  queuedMaxMs,
  somNumericCode,
  type AuthorizationRequest,
  type CodeCheckRequest,
  type CodeCheckResult,
  type FollowUpRequest,
  type Network,
  type NetworkOutcome,
  type NetworkStatus,
  type StatusRequest,
  type VerificationRequest,
  type VerificationStart,
} from '../network.ts'
import { panPlaceholder } from '../pan-body.ts'
import { routesSetting } from '../routes.ts'
import { makeTraceNumbers } from '../trace-numbers.ts'

import {
  isTaken,
  parseTransaction,
  svgateCodes,
  toDecline,
  toRefusalReason,
  toRefusedOutcome,
  toTransactionOutcome,
  type SvgateTransaction,
} from './replies.ts'
import { firstObject, makeSvgate, type SvgateReply } from './svgate.ts'

const settings = {
  url: httpsUrlSetting('URL of the JSON-RPC host.'),
  username: textSetting('User name of the basic authentication.'),
  passwordFile: secretFileSetting('File with the password of the basic authentication.'),
  routes: routesSetting('8600, 5614'),
  merchantId: textSetting('The merchantId of the terminal (EPOS), at most 16 characters.'),
  terminalId: textSetting('The terminalId of the terminal (EPOS), at most 16 characters.'),
  port: textSetting('The port of the terminal (EPOS), which a capture names.'),
  receiverId: textSetting('The receiverId of payments: the account of the receiver by your contract.'),
  holdMinutes: integerSetting('How long a hold lives: the host releases it by itself afterwards.', {
    from: 1,
    to: 44_640,
    default: 10_080,
  }),
  reverseBy: choiceSetting('What tranId of trans.reverse is: the refNum of the transaction, or its id.', {
    choices: ['refNum', 'id'],
    default: 'refNum',
  }),
  phoneOwner: choiceSetting(
    "Whether your contract says that the phone to which the host sends the code is the cardholder's; unknown has a policy that demands it refuse.",
    { choices: ['cardholder', 'unknown'], default: 'unknown' },
  ),
}

/**
 * Uzcard in the shape of its public integrations: JSON-RPC, the host sends the code (`cards.new.otp`), debits by `trans.pay.purpose`, holds by `hold.create`.
 * A debit is known by `ext`, which is our request id. docs/guides/uzcard.md names the source of each field. Certified by nobody.
 */
export const uzcardNetwork = networkAdapter({
  name: 'uzcard',
  isForTestOnly: false,
  settings,
  create({ settings: given, http, clock, takeTraceNumbers }) {
    const { drawStan } = makeTraceNumbers((count) => takeTraceNumbers('uzcard', count))
    const call = makeSvgate({ url: given.url, username: given.username, password: given.passwordFile, http })
    return new UzcardNetwork({ call, clock, drawStan, given }).toPort()
  },
})

interface UzcardOptions {
  readonly call: ReturnType<typeof makeSvgate>
  readonly clock: Clock
  readonly drawStan: () => Promise<string>
  readonly given: AdapterSettingValues<typeof settings>
}

class UzcardNetwork {
  readonly #options: UzcardOptions
  readonly #terminal: { readonly merchantId: string; readonly terminalId: string }

  constructor(options: UzcardOptions) {
    this.#options = options
    this.#terminal = { merchantId: options.given.merchantId, terminalId: options.given.terminalId }
  }

  toPort(): Network {
    const { drawStan, clock, given } = this.#options
    return {
      routes: given.routes,
      admit: () => Promise.resolve(null),
      precheckCard: () => Promise.resolve(null),
      startVerification: (request, signal) => this.#startVerification(request, signal),
      checkCode: (request, signal) => this.#checkCode(request, signal),
      issueTrace: async () => `${await drawStan()} ${formatDate12(clock.now())}`,
      authorize: (request, signal) => this.#authorize(request, signal),
      capture: (request, signal) => this.#capture(request, signal),
      cancelHold: (request, signal) => this.#dismissHold(request, signal),
      refund: (request, signal) => this.#refund(request, signal),
      reverse: (request, signal) => (request.ofHold ? this.#reverseHold(request, signal) : this.#reverseDebit(request, signal)),
      status: (request, signal) => this.#status(request, signal),
    }
  }

  async #startVerification(
    { pan, expiry, requestId, isHolderRequired }: VerificationRequest,
    signal: AbortSignal,
  ): Promise<VerificationStart> {
    const isHolders = this.#options.given.phoneOwner === 'cardholder'
    if (isHolderRequired && !isHolders) return { kind: 'refused', reason: 'holderMismatch' }
    const params = { card: { pan: panPlaceholder, expiry: toYearMonth(expiry) } }
    const reply = await this.#options.call({ method: 'cards.new.otp', id: requestId, params, pan }, signal)
    if (reply.kind !== 'result') return { kind: 'refused', reason: toRefusalReason(reply) }
    const { id, phoneMask } = firstObject(reply.result) ?? {}
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof phoneMask !== 'string')
      return { kind: 'refused', reason: 'systemError' }
    return { kind: 'sentByNetwork', networkRef: String(id), phoneMask, ...(isHolders ? { holder: 'match' as const } : {}) }
  }

  async #checkCode({ networkRef, requestId, code }: CodeCheckRequest, signal: AbortSignal): Promise<CodeCheckResult> {
    if (networkRef === null) return { kind: 'unknown' }
    const id = /^[0-9]{1,15}$/.test(networkRef) ? Number(networkRef) : networkRef
    const reply = await this.#options.call({ method: 'cards.new.verify', id: requestId, params: { otp: { id, code } } }, signal)
    if (reply.kind === 'result') return { kind: firstObject(reply.result) === null ? 'unknown' : 'correct' }
    if (reply.kind !== 'error') return { kind: 'refused', reason: toRefusalReason(reply) }
    if (reply.code === svgateCodes.codeIncorrect) return { kind: 'incorrect' }
    if (reply.code === svgateCodes.codeExpired) return { kind: 'expired' }
    if (reply.code === svgateCodes.codeNotRequested || reply.code === svgateCodes.badCodeRequest) return { kind: 'unknown' }
    return { kind: 'refused', reason: toRefusalReason(reply) }
  }

  async #authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const { pan, requestId, amountTiyin, hold } = request
    // Looks up the card's id only: nothing is taken yet, so a missing reply is a decline, and nothing is unknown.
    const found = await this.#options.call({ method: 'p2p.info', id: requestId, params: { hpan: panPlaceholder }, pan }, signal)
    if (found.kind === 'noReply') return { kind: 'declined', reason: 'networkTimeout', rawCode: 'p2p.info' }
    if (found.kind !== 'result') return toLookupDecline(found)
    const cardId = firstObject(found.result)?.['CARDID']
    if (typeof cardId !== 'string' || cardId === '') return { kind: 'declined', reason: 'systemError', rawCode: 'no_card_id' }
    if (hold) return this.#hold({ requestId, cardId, amountTiyin }, signal)
    const { receiverId } = this.#options.given
    const payment = {
      purpose: 'payment',
      receiverId,
      cardId,
      amount: amountTiyin,
      commission: 0,
      currency: somNumericCode,
      ext: requestId,
      ...this.#terminal,
    }
    const reply = await this.#options.call({ method: 'trans.pay.purpose', id: requestId, params: { tran: payment } }, signal)
    return this.#toOutcome(reply, { ext: requestId, amountTiyin }, signal)
  }

  async #hold(
    { requestId, cardId, amountTiyin }: { readonly requestId: string; readonly cardId: string; readonly amountTiyin: number },
    signal: AbortSignal,
  ): Promise<NetworkOutcome> {
    const hold = { cardId, ...this.#terminal, amount: amountTiyin, time: this.#options.given.holdMinutes }
    const reply = await this.#options.call({ method: 'hold.create', id: requestId, params: { hold } }, signal)
    if (reply.kind !== 'result') return toRefusedOutcome(reply)
    const { id, status } = firstObject(reply.result) ?? {}
    const isHeld = status === 0 && (typeof id === 'number' || (typeof id === 'string' && id !== ''))
    return isHeld ? { kind: 'approved', networkRef: String(id) } : { kind: 'unknown' }
  }

  /** The charge has the `ext` of its hold, which has none itself, so that a refund finds it without another reference. */
  async #capture(
    { requestId, ofRequestId, networkRef, amountTiyin, trace }: FollowUpRequest,
    signal: AbortSignal,
  ): Promise<NetworkOutcome> {
    const [stan = '', date12 = ''] = trace.split(' ')
    const { port } = this.#options.given
    const hold = { holdId: networkRef, ext: ofRequestId, ...this.#terminal, port, amount: amountTiyin, stan, date12 }
    const reply = await this.#options.call({ method: 'hold.dismiss.charge', id: requestId, params: { hold } }, signal)
    if (reply.kind === 'error' && reply.code === svgateCodes.holdNotFound) {
      return { kind: 'declined', reason: 'debitFailed', rawCode: String(reply.code) }
    }
    const outcome = await this.#toOutcome(reply, { ext: ofRequestId, amountTiyin }, signal)
    return reply.kind === 'notProcessed' ? { kind: 'unknown' } : outcome
  }

  /** A transaction that exists already is the one of an earlier attempt: its outcome is looked up. */
  async #toOutcome(
    reply: SvgateReply,
    expected: { readonly ext: string; readonly amountTiyin: number },
    signal: AbortSignal,
  ): Promise<NetworkOutcome> {
    if (reply.kind === 'result') return toTransactionOutcome(reply.result, expected)
    if (reply.kind !== 'error' || reply.code !== svgateCodes.transactionExists) return toRefusedOutcome(reply)
    const found = await this.#findByExt(expected.ext, signal)
    return found.kind === 'result' ? toTransactionOutcome(found.result, expected) : { kind: 'unknown' }
  }

  /** A hold that is not found was released already: by an earlier attempt, or because its time was over. */
  async #dismissHold({ requestId, networkRef, ofAmountTiyin }: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const hold = { holdId: networkRef, ...this.#terminal, amount: ofAmountTiyin }
    const reply = await this.#options.call({ method: 'hold.dismiss', id: requestId, params: { hold } }, signal)
    const isDismissed = reply.kind === 'result' && firstObject(reply.result)?.['status'] === 0
    const isGone = reply.kind === 'error' && reply.code === svgateCodes.holdNotFound
    return isDismissed || isGone ? { kind: 'approved', networkRef } : { kind: 'unknown' }
  }

  /** A hold of which no reply came has no id, and nothing finds it: it ends by itself, and is unknown until then. */
  async #reverseHold(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    if (request.networkRef !== '') return this.#dismissHold(request, signal)
    return this.#approvedAfter(sentAt(request.ofTrace) + this.#options.given.holdMinutes * 60_000 + queuedMaxMs)
  }

  async #refund(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const found = await this.#findByExt(request.ofRequestId, signal)
    if (found.kind === 'error' && found.code === svgateCodes.notFoundOrCancelled && request.isRepeat) {
      return { kind: 'approved', networkRef: request.networkRef }
    }
    const transaction = found.kind === 'result' ? parseTransaction(found.result) : null
    if (transaction === null || transaction.ext !== request.ofRequestId || transaction.amountTiyin !== request.amountTiyin)
      return { kind: 'unknown' }
    return this.#reverseTransaction(request, transaction, signal)
  }

  async #reverseDebit(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const found = await this.#findByExt(request.ofRequestId, signal)
    if (found.kind === 'result') {
      const transaction = parseTransaction(found.result)
      if (transaction === null || transaction.ext !== request.ofRequestId) return { kind: 'unknown' }
      if (!isTaken(transaction) && toDecline(transaction) !== null) return { kind: 'approved', networkRef: '' }
      return this.#reverseTransaction(request, transaction, signal)
    }
    // The host has no such debit. One that was sent just now may still be on its way, so the reversal is repeated until that is over.
    return isNotFound(found) ? this.#approvedAfter(sentAt(request.ofTrace) + queuedMaxMs) : { kind: 'unknown' }
  }

  async #reverseTransaction(request: FollowUpRequest, transaction: SvgateTransaction, signal: AbortSignal): Promise<NetworkOutcome> {
    const tranId = transaction[this.#options.given.reverseBy]
    const reply = await this.#options.call({ method: 'trans.reverse', id: request.requestId, params: { tranId } }, signal)
    const approved: NetworkOutcome = { kind: 'approved', networkRef: request.networkRef }
    if (reply.kind === 'error') {
      // It was found a moment ago, so "not found or cancelled" means cancelled.
      const isReversed = reply.code === svgateCodes.alreadyReversed || reply.code === svgateCodes.notFoundOrCancelled
      return isReversed ? approved : { kind: 'unknown' }
    }
    const { status, resp } = (reply.kind === 'result' ? firstObject(reply.result) : null) ?? {}
    return resp === 0 && status !== reversalFailed ? approved : { kind: 'unknown' }
  }

  async #status({ kind, requestId, ofRequestId, amountTiyin }: StatusRequest, signal: AbortSignal): Promise<NetworkStatus> {
    if (kind !== 'authorise' && kind !== 'capture') return { kind: 'noInquiry' }
    const ext = kind === 'capture' ? ofRequestId : requestId
    const found = await this.#findByExt(ext, signal)
    if (found.kind === 'result') return toTransactionOutcome(found.result, { ext, amountTiyin })
    return isNotFound(found) ? { kind: 'neverSeen' } : { kind: 'unknown' }
  }

  #findByExt(ext: string, signal: AbortSignal): Promise<SvgateReply> {
    return this.#options.call({ method: 'trans.ext', id: ext, params: { extId: ext } }, signal)
  }

  #approvedAfter(decidesAt: number): NetworkOutcome {
    const isOver = this.#options.clock.now() > decidesAt
    return isOver ? { kind: 'approved', networkRef: '' } : { kind: 'unknown', isAnswered: true, decidesAt }
  }
}

function sentAt(trace: string): number {
  return parseDate12(trace.split(' ')[1] ?? '')
}

function isNotFound(reply: SvgateReply): boolean {
  const { transactionNotFound, notFoundInSv, notFoundOrCancelled } = svgateCodes
  return reply.kind === 'error' && [transactionNotFound, notFoundInSv, notFoundOrCancelled].some((code) => code === reply.code)
}

/** The lookup of a card takes nothing, so that each of its errors declines the payment. */
function toLookupDecline(reply: Exclude<SvgateReply, { kind: 'result' }>): NetworkOutcome {
  const outcome = toRefusedOutcome(reply)
  const code = reply.kind === 'error' ? String(reply.code) : 'p2p.info'
  return outcome.kind === 'unknown' ? { kind: 'declined', reason: 'systemError', rawCode: code } : outcome
}

/** yyMMddHHmmss in the time of Tashkent (UTC+5, without summer time). */
function formatDate12(now: number): string {
  return new Date(now + tashkentMs).toISOString().replaceAll(/\D/g, '').slice(2, 14)
}

function parseDate12(date12: string): number {
  if (!/^[0-9]{12}$/.test(date12)) throw new Error('the call has no trace number')
  const [year = 0, month = 1, ...rest] = Array.from({ length: 6 }, (_, i) => Number(date12.slice(i * 2, i * 2 + 2)))
  return Date.UTC(2000 + year, month - 1, ...rest) - tashkentMs
}

const tashkentMs = 5 * 3_600_000
/** The status of a reversal that failed. */
const reversalFailed = 'RER'
