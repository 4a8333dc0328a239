import type { Clock } from '../clock.ts'
import type { Authorisation, DeclineReason, Moved, Movement, Network, RefusalReason } from '../network/network.ts'
import type { LedgerRow, MovementKind, Store } from '../store/store.ts'

import type { TestCard } from './cards.ts'
import { faultByDefault, lateApprovalMs, lateMsOf, silenceMs, type FaultyMethod } from './faults.ts'
import { rehearsalByDefault, rehearsalScenario, refusedBy } from './rehearsal.ts'

export interface SandboxMoneyParts {
  readonly store: Pick<Store, 'findScenarioStep' | 'findLedger' | 'appendLedger' | 'listLedger'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

/** The part of a network that moves money; `authorise` knows already which test card it is. */
export interface SandboxMoney extends Pick<Network, 'capture' | 'cancelHold' | 'refund' | 'reverse' | 'status'> {
  authorise(ask: Omit<Authorisation, 'pan' | 'expiry'>, card: TestCard | null, signal: AbortSignal): Promise<Moved>
}

/**
 * Moves rehearsed money. Every movement stands in a ledger before it is answered, and one requestId moves it once, whatever is asked again.
 * The ledger is the network's own memory: nothing of it is in one unit with what the service keeps.
 */
export function makeSandboxMoney({ store, clock }: SandboxMoneyParts): SandboxMoney {
  return Object.freeze({
    authorise,
    capture: (ask: Movement, signal: AbortSignal) => move('capture', ask, signal),
    cancelHold: (ask: Movement, signal: AbortSignal) => move('cancelHold', ask, signal),
    refund: (ask: Movement, signal: AbortSignal) => move('refund', ask, signal),
    reverse: (ask: Movement, signal: AbortSignal) => move('reverse', ask, signal),
    async status(requestId: string) {
      const row = await store.findLedger(requestId)
      return row === null ? ({ kind: 'neverSeen' } as const) : tell(row)
    },
  })

  async function authorise(ask: Omit<Authorisation, 'pan' | 'expiry'>, card: TestCard | null, signal: AbortSignal): Promise<Moved> {
    const { rehearsal } = await rehearsalOf('receipts.pay', ask.merchantId)
    if (rehearsal === 'lose_request') return silence(signal)
    const { requestId, merchantId, amountTiyin } = ask
    const networkRef = refOf(requestId)
    const refusal = (await declineOf(card, merchantId, signal)) ?? refusedBy(rehearsal)
    // What was reversed before it came is not taken any more.
    const isReversed = (await store.listLedger(networkRef)).some(({ kind }) => kind === 'reverse')
    const reason = isReversed ? 'declined' : refusal
    const late = rehearsal === 'approve_late' ? lateApprovalMs : 0
    const row = { requestId, kind: ask.hold ? 'hold' : 'authorise', merchantId, amountTiyin, networkRef } as const
    const kept = await keep({ ...row, outcome: reason === null ? 'approved' : 'declined', reason: reason ?? '', at: clock.now() + late })
    if (rehearsal === 'answer_twice') await keep(kept)
    return rehearsal === 'approve_late' ? silence(signal) : say(rehearsal, kept, signal)
  }

  async function move(kind: MovementKind, ask: Movement, signal: AbortSignal): Promise<Moved> {
    const { requestId, merchantId, amountTiyin, ofRequestId } = ask
    const { rehearsal, isOfMethod } = await rehearsalOf(kind === 'capture' ? 'receipts.confirm_hold' : 'receipts.cancel', merchantId)
    if (rehearsal === 'lose_request') return silence(signal)
    const networkRef = refOf(ofRequestId)
    // What is set for every movement is a word of payments: it declines no money on its way back.
    const isDeclined = isOfMethod && refusedBy(rehearsal) !== null
    const isRight = !isDeclined && isAllowed(kind, amountTiyin, await store.listLedger(networkRef))
    const row = { requestId, kind, merchantId, amountTiyin, networkRef, at: clock.now() } as const
    const kept = await keep({ ...row, outcome: isRight ? 'approved' : 'declined', reason: isRight ? '' : 'declined' })
    if (rehearsal === 'answer_twice') await keep(kept)
    return say(rehearsal, kept, signal)
  }

  /** The row under this requestId: this one, or the one that was there before it. */
  async function keep(row: LedgerRow): Promise<LedgerRow> {
    if (await store.appendLedger(row)) return row
    const before = await store.findLedger(row.requestId)
    if (before === null) throw new Error('a ledger row that is there can be found')
    return before
  }

  function tell({ outcome, reason, networkRef, at }: LedgerRow): Moved {
    if (at > clock.now()) return { kind: 'unknown' }
    if (outcome === 'approved') return { kind: 'approved', networkRef }
    return { kind: 'declined', reason: reason as DeclineReason, rawCode: `sandbox_${reason}` }
  }

  /** What has been done is told at once, late, or never. */
  async function say(rehearsal: string, kept: LedgerRow, signal: AbortSignal): Promise<Moved> {
    if (rehearsal === 'lose_answer') return silence(signal)
    const lateMs = lateMsOf(rehearsal)
    if (lateMs > 0) await clock.sleep(lateMs, signal).catch(() => undefined)
    return tell(kept)
  }

  /** What is set for the method; otherwise what is set for all of them. */
  async function rehearsalOf(method: FaultyMethod, merchantId: string): Promise<{ rehearsal: string; isOfMethod: boolean }> {
    const own = (await store.findScenarioStep(merchantId, method)) ?? faultByDefault
    if (own !== faultByDefault) return { rehearsal: own, isOfMethod: true }
    return { rehearsal: (await store.findScenarioStep(merchantId, rehearsalScenario)) ?? rehearsalByDefault, isOfMethod: false }
  }

  /** A scenario card never pays, whatever its step; what it waits, it waits only if its step is pay. */
  async function declineOf(card: TestCard | null, merchantId: string, signal: AbortSignal): Promise<DeclineReason | null> {
    if (card === null) return 'smsNotConnected'
    if (card.scenario === null) return null
    const { name, reason, delayMs } = card.scenario
    if (delayMs > 0 && (await store.findScenarioStep(merchantId, name)) === 'pay') await clock.sleep(delayMs, signal)
    return declines[reason]
  }

  /** Says nothing, for longer than anybody waits. */
  async function silence(signal: AbortSignal): Promise<Moved> {
    await clock.sleep(silenceMs, signal).catch(() => undefined)
    return { kind: 'unknown' }
  }
}

/**
 * Whether a movement is one that a network would make: never more is taken than was held, never more given back than was taken. A reversal is
 * always right, of what was never seen as well; what it undoes is the rest that the ledger holds.
 */
function isAllowed(kind: MovementKind, amountTiyin: number, ledger: readonly LedgerRow[]): boolean {
  const sumOf = (...kinds: MovementKind[]): number =>
    ledger.filter((row) => row.outcome === 'approved' && kinds.includes(row.kind)).reduce((sum, row) => sum + row.amountTiyin, 0)
  const [heldTiyin, takenTiyin] = [sumOf('hold'), sumOf('authorise', 'capture')]
  const isOver = sumOf('reverse', 'cancelHold') > 0
  if (kind === 'reverse') return true
  if (amountTiyin <= 0 || isOver) return false
  if (kind === 'capture') return takenTiyin === 0 && amountTiyin <= heldTiyin
  if (kind === 'cancelHold') return takenTiyin === 0 && amountTiyin === heldTiyin
  return kind === 'refund' && amountTiyin <= takenTiyin - sumOf('refund')
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
} as const satisfies Record<RefusalReason, DeclineReason>)
