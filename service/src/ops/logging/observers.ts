import { errorEntry } from '@tessera/contract/errors'

import type { MerchantApiCall } from '../../adapters/merchant-api/observe-merchant-api.ts'
import type { NetworkCall } from '../../adapters/network/observe-network.ts'
import type { SmsSend } from '../../adapters/sms/observe-sms.ts'
import type { AppliedTransition } from '../../domain/payments/dependencies.ts'
import type { ReachedLimit } from '../../domain/limits/limit-mode.ts'
import type { CutReason } from '../../server/http/memory-budget.ts'
import type { PeerObserver } from '../../domain/limits/peers.ts'
import type { AbortStage } from '../../server/http/server-state.ts'
import type { SignInOutcome } from '../../domain/users/dependencies.ts'
import type { WebhookEndpointObserver } from '../../domain/webhooks/webhooks.ts'
import type { CallSummary, CallFailure, CallObserver } from '../../server/call-observer.ts'
import type { PeerHealth } from '../health/peer-health.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { ReceiptGauges } from '../metrics/receipt-gauges.ts'

import type { Log } from './log.ts'

/**
 * Writes one line a call and counts it. Of the calls with a result only one in `sampleEvery` is written, with the number of those before it as
 * `suppressed`. A failure whose cause the reply hides gets a line of its own.
 */
export function makeCallObserver(log: Log, metrics: Metrics, sampleEvery = 1): CallObserver {
  let results = 0
  let sampledOut = 0
  metrics.registerGauge({
    name: 'tessera_log_lines_sampled_out_total',
    help: 'Log lines of calls with a result that were left out because of logSampleEvery.',
    merge: 'sum',
    read: () => sampledOut,
  })
  /** How many lines were left out before this one; null to leave this one out too. */
  const sample = (): number | null => {
    const place = results++ % sampleEvery
    if (place === 0) return results === 1 ? 0 : sampleEvery - 1
    sampledOut++
    return null
  }
  return Object.freeze({
    completed(entry: CallSummary) {
      const { code, reason } = outcomeOf(entry)
      metrics.countRequest({ method: entry.method ?? 'unknown', profile: entry.profile, code, reason, ms: entry.ms })
      if (entry.error === 'overloaded') metrics.observeShed(entry.sinceHeadMs)
      const { requestId, method, profile, merchantId, ms, bytes } = entry
      const suppressed = code === 0 ? sample() : 0
      if (suppressed === null) return
      const [shownReason, shownSuppressed] = [reason === '' ? null : reason, suppressed === 0 ? null : suppressed]
      log.info('request', { requestId, method, profile, merchantId, code, reason: shownReason, suppressed: shownSuppressed, ms, bytes })
    },
    failed(failure: CallFailure) {
      const { requestId, method, error, cause } = failure
      const fields = { requestId, method, reason: errorEntry(error).reason, err: cause }
      if (error === 'internalError') log.error('request_failed', fields)
      else log.warn('request_failed', fields)
    },
  })
}

/** Counts clients that close their connection before they have their reply. It is their right, so it is no error. */
export function makeAbortObserver(log: Log, metrics: Metrics): (stage: AbortStage) => void {
  return (stage) => {
    metrics.countClientAbort({ stage })
    log.debug('client_aborted', { stage })
  }
}

/** Counts the connections that are closed because their client does not read, or there are too many, and writes a line every ten seconds at most. */
export function makeCutObserver(log: Log, metrics: Metrics, now: () => number): (reason: CutReason) => void {
  let lineAt = -Infinity
  let suppressed = 0
  return (reason) => {
    metrics.countConnectionCut({ reason })
    suppressed++
    if (now() - lineAt < limitLineEveryMs) return
    log.warn('connections_cut', { reason, count: suppressed })
    lineAt = now()
    suppressed = 0
  }
}

/** The code of the reply, 0 for a result. */
function outcomeOf({ error, profile }: CallSummary): { code: number; reason: string } {
  if (error === null) return { code: 0, reason: '' }
  const { code, specCode, reason } = errorEntry(error)
  return { code: profile === 'spec' ? (specCode ?? code) : code, reason }
}

/**
 * Counts every request that reached a limit which may be in shadow mode, and writes a line of each such limit every ten seconds at most:
 * `limit_reached`, or `limit_shadow` if the request was not refused. `now` is unix milliseconds.
 */
export function makeLimitObserver(log: Log, metrics: Metrics, now: () => number): (reached: ReachedLimit) => void {
  const lines = new Map<string, { at: number; count: number }>()
  return ({ reason, mode, merchantId }) => {
    metrics.countLimit({ reason, mode })
    const line = lines.get(reason) ?? { at: -Infinity, count: 0 }
    lines.set(reason, line)
    line.count++
    if (now() - line.at < limitLineEveryMs) return
    log.warn(mode === 'shadow' ? 'limit_shadow' : 'limit_reached', { reason, merchantId, count: line.count })
    Object.assign(line, { at: now(), count: 0 })
  }
}

/**
 * Counts the calls that were refused because an outside system does not respond or its places are taken, and writes a line `peer_calls_refused` of each
 * kind and reason every ten seconds at most. The breakers of all systems write a line when they open and when they close. `now` is unix milliseconds.
 */
export function makePeerObserver(log: Log, metrics: Metrics, now: () => number): PeerObserver {
  const lines = new Map<string, { at: number; count: number }>()
  return Object.freeze<PeerObserver>({
    refused({ kind, reason, merchantId }) {
      metrics.countPeerRefusal({ peer: kind, reason })
      const line = lines.get(`${kind} ${reason}`) ?? { at: -Infinity, count: 0 }
      lines.set(`${kind} ${reason}`, line)
      line.count++
      if (now() - line.at < limitLineEveryMs) return
      log.warn('peer_calls_refused', { peer: kind, reason, merchantId, count: line.count })
      Object.assign(line, { at: now(), count: 0 })
    },
    breakerChanged({ kind, name, state, merchantId }) {
      const fields = { peer: kind, ...(name === '' ? {} : { [kind === 'sms' ? 'gateway' : 'network']: name }), merchantId }
      if (state === 'open') log.warn('peer_breaker_opened', fields)
      else log.info('peer_breaker_closed', fields)
    },
  })
}

/**
 * Writes a line `webhook_endpoint_down` when a merchant's endpoint has not answered three times in a row, and `webhook_endpoint_recovered` when it answers again:
 * of an endpoint that comes and goes one pair a minute. `now` is unix milliseconds.
 */
export function makeWebhookEndpointObserver(log: Log, now: () => number): WebhookEndpointObserver {
  const lines = new Map<string, { readonly at: number; readonly isShown: boolean }>()
  return Object.freeze<WebhookEndpointObserver>({
    down({ endpointId, merchantId }, outcome) {
      const line = lines.get(endpointId)
      if (line !== undefined && (line.isShown || now() - line.at < endpointLineEveryMs)) return
      if (lines.size >= endpointLinesMax) lines.clear()
      lines.set(endpointId, { at: now(), isShown: true })
      log.warn('webhook_endpoint_down', { merchantId, reason: outcome })
    },
    recovered({ endpointId, merchantId }) {
      const line = lines.get(endpointId)
      if (line?.isShown !== true) return
      lines.set(endpointId, { at: line.at, isShown: false })
      log.info('webhook_endpoint_recovered', { merchantId })
    },
  })
}

/**
 * Counts sign-ins, shows how many wait, and writes a line `sign_ins_waiting` every ten seconds at most while there are more than can be evaluated at once:
 * `count` wait, and `suppressed` got no place, a lock or a wrong password since the last line.
 */
export function makeSignInObserver(log: Log, metrics: Metrics, queue: SignInLine, now: () => number): (outcome: SignInOutcome) => void {
  let lineAt = -Infinity
  let refused = 0
  metrics.registerGauge({
    name: 'tessera_sign_ins_waiting',
    help: 'Sign-ins to the dashboard that wait for their password to be evaluated.',
    merge: 'sum',
    read: () => queue.waitingCount(),
  })
  return (outcome) => {
    metrics.countSignIn({ outcome })
    if (outcome === 'refused' || outcome === 'locked' || outcome === 'overloaded') refused++
    if (!queue.isLoaded() || now() - lineAt < limitLineEveryMs) return
    log.warn('sign_ins_waiting', { count: queue.waitingCount(), suppressed: refused })
    lineAt = now()
    refused = 0
  }
}

/** The line that sign-ins wait in. */
interface SignInLine {
  waitingCount(): number
  isLoaded(): boolean
}

/**
 * Counts the calls to merchants' endpoints, and writes a line where one did not agree. A refusal is the merchant's right, so it is information; no
 * answer holds money up, so it is a warning; a call that could not be made is our fault.
 */
export function makeMerchantEndpointObserver(log: Log, metrics: Metrics): (call: MerchantApiCall) => void {
  return ({ outcome, operation, merchantId, receiptId, reason, code, ms, err }) => {
    metrics.countMerchantEndpoint({ operation, outcome })
    if (outcome === 'agreed') return
    log[endpointLevels[outcome]](`merchant_endpoint_${outcome}`, { merchantId, receiptId, operation, reason, code, ms, err })
  }
}

/** Counts and times the calls to one card network, and records whether they got an answer. */
export function makeNetworkObserver(metrics: Metrics, network: string, health: Pick<PeerHealth, 'record'>): (call: NetworkCall) => void {
  return (call) => {
    metrics.observeNetworkCall({ network, ...call })
    if (call.isAnswered !== null) health.record(call.isAnswered)
  }
}

/** The same for one SMS gateway. */
export function makeSmsObserver(metrics: Metrics, gateway: string, health: Pick<PeerHealth, 'record'>): (send: SmsSend) => void {
  return (send) => {
    metrics.observeSmsSend({ gateway, ...send })
    health.record(send.outcome === 'accepted' || send.outcome === 'rejected')
  }
}

const endpointLevels = { refused: 'info', silent: 'warn', failed: 'error' } as const
const limitLineEveryMs = 10_000
const endpointLineEveryMs = 60_000
const endpointLinesMax = 10_000

/**
 * Counts transitions, moves the gauges of receipts, and writes one line a transition, so that a search for the receipt's id shows its life. Leases are left out: they
 * change nothing. A receipt that has become flagged gets a warning.
 */
export function makeReceiptObserver(
  log: Log,
  gauges: Pick<ReceiptGauges, 'apply'>,
  metrics: Pick<Metrics, 'countReceiptTransition'>,
): (transition: AppliedTransition) => void {
  return (transition) => {
    gauges.apply(transition)
    const { cause, from, receipt, hasBecomeFlagged, requestId } = transition
    const { receiptId, merchantId, state: to } = receipt
    metrics.countReceiptTransition({ state: String(to), cause })
    if (!unloggedCauses.has(cause)) log.info('receipt_transition', { receiptId, merchantId, requestId, from, to, cause })
    if (hasBecomeFlagged) log.warn('receipt_flagged', { receiptId, merchantId, to, cause })
  }
}

const unloggedCauses: ReadonlySet<string> = new Set(['lease_acquired', 'nothing_due'])
