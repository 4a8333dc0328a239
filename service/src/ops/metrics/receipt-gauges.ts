import { receiptStates } from '@tessera/contract/receipt'

import type { Clock } from '../../clock.ts'
import type { AppliedTransition } from '../../domain/payments/dependencies.ts'
import { receiptStateInfo, openReceiptStates } from '../../domain/payments/states.ts'
import { countOpenReceipts } from '../../store/receipts.ts'
import type { Store } from '../../store/store.ts'

import type { Metrics } from './metrics.ts'

/** Gauges of receipts in which somebody still has to act, over all merchants and processes. */
export interface ReceiptGauges {
  /** Counts in the store; a background job calls it. */
  refresh(): Promise<void>
  /** Moves the gauges by a transition of this process, until the next refresh counts it. */
  apply(transition: AppliedTransition): void
}

export interface ReceiptGaugesDependencies {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/** Registers the gauges. They have no value before the first refresh. */
export function createReceiptGauges({ store, clock, metrics }: ReceiptGaugesDependencies): ReceiptGauges {
  const byState = new Map<number, number>()
  let flagged: number | null = null
  let oldestUnknownAt: number | null = null
  let oldestDueAt: number | null = null

  const ageSeconds = (since: number | null): number => (since === null ? 0 : Math.max(0, clock.now() - since) / 1000)
  const single = (read: () => number) => (): readonly { labels: Record<string, string>; value: number }[] =>
    flagged === null ? [] : [{ labels: {}, value: read() }]

  metrics.registerGauge({
    name: 'tessera_receipts',
    help: 'Receipts by state, of those in which the network, the merchant or the service still has to act; each counted to 100,000.',
    read: () => [...byState].map(([state, value]) => ({ labels: { state: String(state), name: nameOf(state) }, value })),
  })
  metrics.registerGauge({
    name: 'tessera_receipts_flagged',
    help: 'Receipts that are flagged for an operator: tessera receipts list --flagged.',
    read: single(() => flagged ?? 0),
  })
  metrics.registerGauge({
    name: 'tessera_receipts_oldest_unknown_seconds',
    help: 'Age of the oldest payment whose outcome is unknown (state 20); 0 without one.',
    read: single(() => ageSeconds(oldestUnknownAt)),
  })
  metrics.registerGauge({
    name: 'tessera_receipts_overdue_seconds',
    help: 'For how long the longest due receipt has waited for the receipt worker; 0 when none is due.',
    read: single(() => ageSeconds(oldestDueAt)),
  })

  return Object.freeze({
    async refresh() {
      const counts = await store.read(countOpenReceipts(clock.now()))
      for (const [state, count] of counts.byState) byState.set(state, count)
      ;({ flagged, oldestUnknownAt, oldestDueAt } = counts)
    },
    apply({ from, receipt, hasBecomeFlagged }: AppliedTransition) {
      if (flagged === null) return
      if (hasBecomeFlagged) flagged += 1
      if (from === receipt.state) return
      if (from !== null) add(from, -1)
      add(receipt.state, 1)
      if (receipt.state === receiptStates.unknown) oldestUnknownAt ??= receipt.unknownSince
    },
  })

  function add(state: number, by: number): void {
    const count = byState.get(state)
    if (count !== undefined) byState.set(state, Math.max(0, count + by))
  }
}

function nameOf(state: number): string {
  const open = openReceiptStates.find((each) => each === state)
  return open === undefined ? '' : receiptStateInfo[open].name
}
