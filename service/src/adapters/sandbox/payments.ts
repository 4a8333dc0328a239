import type { Clock } from '../../clock.ts'
import type {
  AuthorizationRequest,
  DeclineReason,
  NetworkOutcome,
  FollowUpRequest,
  Network,
  NetworkRefusalReason,
  StatusRequest,
} from '../network/network.ts'
import type { MovementKind } from '../../store/operations.ts'
import { findLedgerEntry, insertLedgerEntry, type LedgerRow, listLedgerEntries } from '../../store/sandbox-ledger.ts'
import { findScenarioStep, findTwoScenarioSteps } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'

import type { TestCard } from './cards.ts'
import { defaultMethodFault, lateApprovalMs, delayMsOf, silenceMs, type FaultyMethod } from './faults.ts'
import { defaultSimulatedOutcome, simulatedOutcomeScenario, declineReasonOf } from './simulated-outcome.ts'

export interface SandboxPaymentsDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

/** The payment operations of the network. `authorize` receives the identified test card. */
export interface SandboxPayments extends Pick<Network, 'capture' | 'cancelHold' | 'refund' | 'reverse' | 'status'> {
  authorize(request: Omit<AuthorizationRequest, 'pan' | 'expiry'>, card: TestCard | null, signal: AbortSignal): Promise<NetworkOutcome>
}

/**
 * Simulates payments. Every movement is written to a ledger before the reply, and a requestId takes effect once, however often it is repeated.
 * The ledger belongs to the simulated network: it is never written in one transaction with the service's data.
 */
export function makeSandboxPayments({ store, clock }: SandboxPaymentsDependencies): SandboxPayments {
  return Object.freeze({
    authorize,
    capture: (request: FollowUpRequest, signal: AbortSignal) => recordMovement('capture', request, signal),
    cancelHold: (request: FollowUpRequest, signal: AbortSignal) => recordMovement('cancelHold', request, signal),
    refund: (request: FollowUpRequest, signal: AbortSignal) => recordMovement('refund', request, signal),
    reverse: (request: FollowUpRequest, signal: AbortSignal) => recordMovement('reverse', request, signal),
    async status({ requestId }: StatusRequest) {
      const row = await store.read(findLedgerEntry(requestId))
      return row === null ? ({ kind: 'neverSeen' } as const) : outcomeOf(row)
    },
  })

  async function authorize(
    request: Omit<AuthorizationRequest, 'pan' | 'expiry'>,
    card: TestCard | null,
    signal: AbortSignal,
  ): Promise<NetworkOutcome> {
    const { simulated } = await simulatedOutcomeOf('receipts.pay', request.merchantId)
    if (simulated === 'lose_request') return withholdReply(signal)
    const { requestId, merchantId, amountTiyin } = request
    const networkRef = refOf(requestId)
    const refusal = (await declineOf(card, merchantId, signal)) ?? declineReasonOf(simulated)
    // An authorization that was reversed before it arrived is declined.
    const isReversed = (await store.read(listLedgerEntries(networkRef))).some(({ kind }) => kind === 'reverse')
    const reason = isReversed ? 'declined' : refusal
    const late = simulated === 'approve_late' ? lateApprovalMs : 0
    const row = { requestId, kind: request.hold ? 'hold' : 'authorise', merchantId, amountTiyin, networkRef } as const
    const entry = await insertOrFind({
      ...row,
      outcome: reason === null ? 'approved' : 'declined',
      reason: reason ?? '',
      at: clock.now() + late,
    })
    if (simulated === 'answer_twice') await insertOrFind(entry)
    return simulated === 'approve_late' ? withholdReply(signal) : reply(simulated, entry, signal)
  }

  async function recordMovement(kind: MovementKind, request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
    const { requestId, merchantId, amountTiyin, ofRequestId } = request
    const { simulated, isOfMethod } = await simulatedOutcomeOf(kind === 'capture' ? 'receipts.confirm_hold' : 'receipts.cancel', merchantId)
    if (simulated === 'lose_request') return withholdReply(signal)
    const networkRef = refOf(ofRequestId)
    // The setting for all operations is about payments: it does not decline captures or refunds.
    const isDeclined = isOfMethod && declineReasonOf(simulated) !== null
    const isApproved = !isDeclined && isAllowed(kind, amountTiyin, await store.read(listLedgerEntries(networkRef)))
    const row = { requestId, kind, merchantId, amountTiyin, networkRef, at: clock.now() } as const
    const entry = await insertOrFind({ ...row, outcome: isApproved ? 'approved' : 'declined', reason: isApproved ? '' : 'declined' })
    if (simulated === 'answer_twice') await insertOrFind(entry)
    return reply(simulated, entry, signal)
  }

  /** Inserts the row, or returns the existing row of this requestId. */
  async function insertOrFind(row: LedgerRow): Promise<LedgerRow> {
    if (await store.write(insertLedgerEntry, row)) return row
    const existing = await store.read(findLedgerEntry(row.requestId))
    if (existing === null) throw new Error('a ledger entry exists and was not found')
    return existing
  }

  function outcomeOf({ outcome, reason, networkRef, at }: LedgerRow): NetworkOutcome {
    if (at > clock.now()) return { kind: 'unknown' }
    if (outcome === 'approved') return { kind: 'approved', networkRef }
    return { kind: 'declined', reason: reason as DeclineReason, rawCode: `sandbox_${reason}` }
  }

  /** Replies with the outcome at once, late or never. */
  async function reply(simulated: string, entry: LedgerRow, signal: AbortSignal): Promise<NetworkOutcome> {
    if (simulated === 'lose_answer') return withholdReply(signal)
    const lateMs = delayMsOf(simulated)
    if (lateMs > 0) await clock.sleep(lateMs, signal).catch(() => undefined)
    return outcomeOf(entry)
  }

  /** The fault set for the method, otherwise the one set for all payment operations. */
  async function simulatedOutcomeOf(method: FaultyMethod, merchantId: string): Promise<{ simulated: string; isOfMethod: boolean }> {
    const [own, all] = await store.read(findTwoScenarioSteps(merchantId, [method, simulatedOutcomeScenario]))
    if (own !== null && own !== defaultMethodFault) return { simulated: own, isOfMethod: true }
    return { simulated: all ?? defaultSimulatedOutcome, isOfMethod: false }
  }

  /** A scenario card never pays, whatever its step. Its delay applies only when the step is `pay`. */
  async function declineOf(card: TestCard | null, merchantId: string, signal: AbortSignal): Promise<DeclineReason | null> {
    if (card === null) return 'smsNotConnected'
    if (card.scenario === null) return null
    const { name, reason, delayMs } = card.scenario
    if (delayMs > 0 && (await store.read(findScenarioStep(merchantId, name))) === 'pay') await clock.sleep(delayMs, signal)
    return reason === 'holderMismatch' ? null : declines[reason]
  }

  /** Does not reply within any timeout of the service. */
  async function withholdReply(signal: AbortSignal): Promise<NetworkOutcome> {
    await clock.sleep(silenceMs, signal).catch(() => undefined)
    return { kind: 'unknown' }
  }
}

/**
 * Whether a network would accept a movement: a capture never exceeds the hold, and refunds never exceed the debit. A reversal is always
 * accepted, even of an unknown request; it cancels whatever the ledger still has.
 */
function isAllowed(kind: MovementKind, amountTiyin: number, ledger: readonly LedgerRow[]): boolean {
  const sumOf = (...kinds: MovementKind[]): number =>
    ledger.filter((row) => row.outcome === 'approved' && kinds.includes(row.kind)).reduce((sum, row) => sum + row.amountTiyin, 0)
  const [heldTiyin, debitedTiyin] = [sumOf('hold'), sumOf('authorise', 'capture')]
  const isOver = sumOf('reverse', 'cancelHold') > 0
  if (kind === 'reverse') return true
  if (amountTiyin <= 0 || isOver) return false
  if (kind === 'capture') return debitedTiyin === 0 && amountTiyin <= heldTiyin
  if (kind === 'cancelHold') return debitedTiyin === 0 && amountTiyin === heldTiyin
  return kind === 'refund' && amountTiyin <= debitedTiyin - sumOf('refund')
}

function refOf(requestId: string): string {
  return `sandbox-${requestId}`
}

const declines = Object.freeze({
  smsNotConnected: 'smsNotConnected',
  cardExpired: 'cardExpired',
  cardBlocked: 'cardBlocked',
  systemError: 'systemError',
  timeout: 'networkTimeout',
} as const satisfies Record<Exclude<NetworkRefusalReason, 'holderMismatch'>, DeclineReason>)
