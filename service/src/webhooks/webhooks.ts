import { drawPublic } from '@tessera/vault/random'

import type { DeliveryRow } from '../store/store.ts'

import { deliver, type DeliverParts } from './deliver.ts'
import type { WebhookFigures } from './figures.ts'

export type { Endpoints, WebhookDoer } from './endpoints.ts'
export type { Tested } from './test-event.ts'

/** Takes events from the outbox to the merchants' endpoints, at least once each, in order for each object. */
export interface Webhooks {
  /** Begins what is due and there is room for, and tells how many. To be called every second; what ends makes room by itself. */
  runOnce(): Promise<number>
  /** Drops events whose time is over. To be called now and then. */
  dropPast(stopping?: AbortSignal): Promise<number>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  /** Cuts off what is under way; its leases end by themselves. */
  stop(): Promise<void>
}

export interface WebhookParts extends DeliverParts {
  readonly figures: WebhookFigures
}

export function makeWebhooks(parts: WebhookParts): Webhooks {
  const { store, clock, figures, failed } = parts
  const stopping = new AbortController()
  const underWay = new Map<Promise<void>, string>()
  let filling: Promise<number> | null = null
  /** How often it was asked to fill. */
  let asked = 0
  return Object.freeze({
    runOnce: fill,
    dropPast: (stopping?: AbortSignal) => store.dropEvents(clock.now() - figures.eventLifeMs, stopping),
    async idle() {
      while (underWay.size > 0 || filling !== null) await Promise.all([...underWay.keys(), filling])
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await filling?.catch(() => 0)
      await Promise.all(underWay.keys())
    },
  })

  /** One claims at a time; whoever comes meanwhile waits for it too, and it claims once more. */
  function fill(): Promise<number> {
    asked += 1
    filling ??= claimAndBegin().finally(() => (filling = null))
    return filling
  }

  async function claimAndBegin(): Promise<number> {
    let begun = 0
    while (!stopping.signal.aborted && underWay.size < figures.inFlightMax) {
      const askedBefore = asked
      const count = Math.min(figures.endpointInFlightMax, figures.inFlightMax - underWay.size)
      const claimed = await claim(count)
      begun += claimed.length
      if (claimed.length < count && asked === askedBefore) break
    }
    return begun
  }

  async function claim(count: number): Promise<readonly DeliveryRow[]> {
    const now = clock.now()
    const claimId = Buffer.from(drawPublic(12)).toString('hex')
    const claimed = await store.claimDeliveries({ now, leaseUntil: now + figures.leaseMs, claimId, count, busy: busyEndpoints() })
    for (const delivery of claimed) begin(delivery, claimId)
    return claimed
  }

  function begin(delivery: DeliveryRow, claimId: string): void {
    const delivering = deliver(parts, delivery, claimId, stopping.signal)
      .catch(failed)
      .then(() => {
        underWay.delete(delivering)
        // What stood behind it may go at once.
        if (!stopping.signal.aborted) fill().catch(failed)
      })
    underWay.set(delivering, delivery.endpointId)
  }

  /** A slow endpoint keeps its own events waiting, and nobody else's. */
  function busyEndpoints(): string[] {
    const counts = new Map<string, number>()
    for (const endpointId of underWay.values()) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= figures.endpointInFlightMax).map(([endpointId]) => endpointId)
  }
}
