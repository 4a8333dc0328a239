import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'

import { RowBroken } from '../../store/columns.ts'
import { type DueReceiptCursor, listDueReceipts, type ReceiptRow } from '../../store/receipts.ts'
import type { NetworkPeer } from '../networks.ts'
import { isTamperedRow } from '../verified-rows.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations } from './find.ts'
import { findAuthorization, findCurrentOperation, isOperationPending } from './network-operations.ts'
import { findNetworkOf } from './operation-network.ts'

/**
 * Asks a network that responds again about everything that is open there, which otherwise waits for up to ten minutes. While it does not respond, it is asked
 * about one of them every half minute, so that its recovery is found without customers. Every process does this for what it has seen itself; two that ask about
 * the same receipt are kept apart by its lease.
 */
export interface RecoveredNetworks {
  /** Starts what is to be asked now, without waiting for it. Call it about once a second. */
  begin(): void
  /** Resolves when nothing is being asked. */
  idle(): Promise<void>
}

export interface RecoveredNetworksOptions {
  readonly services: PaymentServices
  /** Advances a receipt that is not due. Null if it is in progress already. */
  readonly advance: (receipt: ReceiptRow) => Promise<unknown> | null
  readonly signal: AbortSignal
  readonly onError: (err: unknown) => void
}

interface NetworkRounds {
  readonly peer: NetworkPeer
  /** The recoveries of the network that a round was begun for. */
  answered: number
  /** Of the monotonic clock. */
  nextRoundAt: number
  nextProbeAt: number
  running: Promise<void> | null
}

export function makeRecoveredNetworks({ services, advance, signal, onError }: RecoveredNetworksOptions): RecoveredNetworks {
  const { store, clock, settings, networks } = services
  const all = networks.peers.map((peer): NetworkRounds => ({ peer, answered: 0, nextRoundAt: 0, nextProbeAt: 0, running: null }))
  return Object.freeze({
    begin() {
      for (const rounds of all) if (rounds.running === null && !signal.aborted) beginNext(rounds)
    },
    async idle() {
      for (const { running } of all) await running
    },
  })

  function beginNext(rounds: NetworkRounds): void {
    const { gate } = rounds.peer
    const now = clock.moment().monotonicMs
    if (gate.waitMs(null) > 0) return
    if (gate.isFailing && now >= rounds.nextProbeAt) {
      rounds.nextProbeAt = now + probeEveryMs
      start(rounds, () => askOpen(rounds.peer, { count: 1, isOver: () => gate.waitMs(null) > 0 }))
    } else if (!gate.isFailing && gate.recoveries > rounds.answered && now >= rounds.nextRoundAt) {
      const { recoveries } = gate
      start(rounds, async () => {
        const isComplete = await askOpen(rounds.peer, { count: Infinity, isOver: () => gate.isFailing || gate.waitMs(null) > 0 })
        if (isComplete) rounds.answered = recoveries
        rounds.nextRoundAt = now + (isComplete ? roundEveryMs : resumeAfterMs)
      })
    }
  }

  function start(rounds: NetworkRounds, run: () => Promise<unknown>): void {
    rounds.running = run()
      .catch((err: unknown) => {
        rounds.nextRoundAt = clock.moment().monotonicMs + failedPauseMs
        onError(err)
      })
      .then(() => void (rounds.running = null))
  }

  /** Asks about at most `count` receipts, those first that are due first. False: it was over before, because the network has no place left or fails again. */
  async function askOpen(peer: NetworkPeer, { count, isOver }: AskOptions): Promise<boolean> {
    // Half of the places that are free, so that new payments find the other half.
    const concurrency = Math.max(1, Math.min(maxConcurrent, Math.floor(peer.gate.freePlaces / 2)))
    const asked = new Set<string>()
    const running = new Set<Promise<unknown>>()
    try {
      for await (const receipt of listOpen(peer)) {
        if (running.size >= concurrency) await Promise.race(running)
        if (signal.aborted || isOver()) return false
        // One that is still open may come again, with its new time.
        const work = asked.has(receipt.receiptId) ? null : advance(receipt)
        if (work === null) continue
        asked.add(receipt.receiptId)
        const tracked = work.finally(() => running.delete(tracked))
        running.add(tracked)
        if (asked.size === count) return true
      }
      return true
    } finally {
      await Promise.all(running)
    }
  }

  /**
   * What waits for a network longer than for a lease, by its due times: what is due sooner may be in the hands of a process, and is asked about soon anyway. In
   * pages, so that the statements stay short whatever else is due in these ten minutes.
   */
  async function* listOpen(peer: NetworkPeer): AsyncGenerator<ReceiptRow> {
    const now = clock.now()
    const latest = now + settings.maxBackoffMs
    let after: DueReceiptCursor = { dueAt: now + settings.leaseMs + clocksApartMs, receiptId: '' }
    for (;;) {
      const page = await store.read(listDueReceipts(latest, pageSize, after))
      for (const receipt of page) if (!('brokenAt' in receipt) && (await isOpenAt(peer, receipt))) yield receipt
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return
      after = last
    }
  }

  /** A row that this service has not written, or that cannot be read, is left to the time at which it is due. */
  async function isOpenAt(peer: NetworkPeer, receipt: ReceiptRow): Promise<boolean> {
    if (!networkStates.has(receipt.state) || !(await services.rows.hasValidMac(receipt))) return false
    try {
      const operations = await loadOperations(services, receipt)
      const authorization = operations === null ? null : findAuthorization(operations)
      if (operations === null || authorization === null) return false
      if (receipt.state === receiptStates.held && !isOperationPending(findCurrentOperation(operations, receipt))) return false
      return findNetworkOf(services, receipt, authorization) === peer
    } catch (err) {
      if (err instanceof RowBroken || isTamperedRow(err)) return false
      throw err
    }
  }
}

interface AskOptions {
  readonly count: number
  readonly isOver: () => boolean
}

/** States in which a network is asked about an earlier call; `held` only with a capture. */
const networkStates: ReadonlySet<ReceiptState> = new Set([receiptStates.unknown, receiptStates.returning, receiptStates.held])
const pageSize = 100
const maxConcurrent = 16
const probeEveryMs = 30_000
/** Of a network that responds and fails by turns. */
const roundEveryMs = 60_000
const resumeAfterMs = 1000
const failedPauseMs = 5000
/** Between the clocks of two machines that are both right. */
const clocksApartMs = 5000
