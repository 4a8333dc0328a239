import { declineReasons, definiteRefusals } from '../field-39.ts'
import type { DeclineReason, NetworkOutcome, NetworkRefusalReason } from '../network.ts'
import { NetworkNotReached } from '../network-not-reached.ts'

import { firstObject, type SvgateReply } from './svgate.ts'

/** Codes of JSON-RPC errors, as `RPCErrors` of khakimjanovich/svgate-client lists them. */
export const svgateCodes = Object.freeze({
  transactionExists: -207,
  transactionNotFound: -208,
  holdNotFound: -242,
  notFoundInSv: -267,
  codeIncorrect: -269,
  codeExpired: -270,
  notFoundOrCancelled: -282,
  codeNotRequested: -294,
  badCodeRequest: -314,
  alreadyReversed: -389,
})

/** The transaction of a `trans.*` or `hold.dismiss.charge` reply. */
export interface SvgateTransaction {
  readonly id: string
  readonly refNum: string
  readonly ext: string
  readonly amountTiyin: number
  readonly status: string
  readonly resp: number
}

/** Null when the reply has no transaction, or lacks a member that is needed. */
export function parseTransaction(result: unknown): SvgateTransaction | null {
  const { id, refNum, ext, amount, status, resp } = firstObject(result) ?? {}
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof ext !== 'string' || typeof status !== 'string') return null
  if (typeof amount !== 'number' || typeof resp !== 'number') return null
  return { id: String(id), refNum: typeof refNum === 'string' ? refNum : '', ext, amountTiyin: amount, status, resp }
}

/**
 * Approved: status OK, resp 0 and a reference, for this `ext` and this amount. Declined: another status, and a response code after which nothing was taken.
 * Everything else is unknown: it is looked up again, or reversed.
 */
export function toTransactionOutcome(result: unknown, expected: { readonly ext: string; readonly amountTiyin: number }): NetworkOutcome {
  const transaction = parseTransaction(result)
  if (transaction === null || transaction.ext !== expected.ext) return { kind: 'unknown' }
  if (isTaken(transaction)) {
    return transaction.amountTiyin === expected.amountTiyin
      ? { kind: 'approved', networkRef: `${transaction.id}|${transaction.refNum}` }
      : { kind: 'unknown' }
  }
  return toDecline(transaction) ?? { kind: 'unknown' }
}

export function isTaken({ status, resp, refNum }: SvgateTransaction): boolean {
  return status === 'OK' && resp === 0 && refNum !== '' && !/^0+$/.test(refNum)
}

/** The decline of a transaction by which nothing was taken; null when it does not say so. */
export function toDecline({ status, resp }: SvgateTransaction): (NetworkOutcome & { readonly kind: 'declined' }) | null {
  // `resp` is read as field 39 of ISO 8583:1987; the public integrations know 0 and 51.
  const code = String(resp).padStart(2, '0')
  if (status === 'OK' || !definiteRefusals.has(code)) return null
  return { kind: 'declined', reason: declineReasons[code] ?? 'declined', rawCode: `resp ${String(resp)}` }
}

/**
 * The outcome of a debit or a hold that was refused with an error. Codes that do not say that nothing was taken are unknown. Throws `NetworkNotReached`: the
 * reply must be that of the only call which takes something.
 */
export function toRefusedOutcome(reply: Exclude<SvgateReply, { kind: 'result' }>): NetworkOutcome {
  if (reply.kind === 'notReached') throw new NetworkNotReached()
  if (reply.kind === 'notProcessed') return { kind: 'declined', reason: 'systemError', rawCode: 'not_processed' }
  if (reply.kind === 'noReply') return { kind: 'unknown' }
  const reason = reasonsByCode[reply.code]
  return reason === undefined ? { kind: 'unknown' } : { kind: 'declined', reason, rawCode: String(reply.code) }
}

/** Why a card cannot be verified. Throws `NetworkNotReached`. */
export function toRefusalReason(reply: Exclude<SvgateReply, { kind: 'result' }>): NetworkRefusalReason {
  if (reply.kind === 'notReached') throw new NetworkNotReached()
  if (reply.kind !== 'error') return 'timeout'
  const reason = reasonsByCode[reply.code]
  if (reason === 'smsNotConnected' || reason === 'cardExpired' || reason === 'cardBlocked') return reason
  return holderMismatches.has(reply.code) ? 'holderMismatch' : 'systemError'
}

/** The phone of the card is another one (-224, -277, -320). */
const holderMismatches: ReadonlySet<number> = new Set([-224, -277, -320])

/**
 * Errors after which nothing was taken. Not here, and so unknown: -101, -102, -211, -281, -300 … -311 ("check out the trans.ext method later", time-outs),
 * -380 ("transaction successful"), -350 … -357 and -400 … -604 (a service of the host is away).
 */
// prettier-ignore
const reasonsByCode: Readonly<Record<number, DeclineReason>> = Object.freeze({
  [-200]: 'declined', [-202]: 'declined', [-212]: 'declined', [-216]: 'declined', [-257]: 'declined',
  [-201]: 'cardExpired',
  [-203]: 'cardBlocked', [-204]: 'cardBlocked', [-205]: 'cardBlocked', [-261]: 'cardBlocked',
  [-206]: 'smsNotConnected', [-215]: 'smsNotConnected', [-292]: 'smsNotConnected',
  [-239]: 'insufficientFunds', [-240]: 'insufficientFunds', [-260]: 'insufficientFunds',
  [-245]: 'cardLimit', [-262]: 'cardLimit', [-381]: 'cardLimit',
  [-244]: 'declined', [-246]: 'declined', [-258]: 'declined', [-333]: 'declined', [-383]: 'declined', [-398]: 'declined',
  // The terminal, its rights or the request: an operator has to act.
  [-100]: 'systemError', [-103]: 'systemError', [-199]: 'systemError', [-209]: 'systemError', [-236]: 'systemError', [-237]: 'systemError',
  [-241]: 'systemError', [-247]: 'systemError', [-250]: 'systemError', [-251]: 'systemError', [-252]: 'systemError', [-253]: 'systemError',
  [-254]: 'systemError', [-255]: 'systemError', [-256]: 'systemError', [-268]: 'systemError', [-286]: 'systemError', [-291]: 'systemError',
  [-298]: 'systemError', [-316]: 'systemError', [-318]: 'systemError', [-319]: 'systemError', [-329]: 'systemError', [-330]: 'systemError',
  [-374]: 'systemError',
})
