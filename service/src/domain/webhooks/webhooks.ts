import { issueRandomId } from '@tessera/vault/id'

import { claimDeliveries, type DeliveryRow } from '../../store/deliveries.ts'
import { deleteOldEvents } from '../../store/outbox.ts'
import { deleteInPages } from '../../store/store.ts'

import { makeDeliveryAttempts, type DeliveryDependencies } from './attempt-delivery.ts'
import type { WebhookSettings } from './settings.ts'

export type { WebhookEndpointAdministration } from './endpoints.ts'
export type { TestEventResult } from './test-event.ts'

/** Delivers events from the outbox to the merchants' endpoints: at least once, in order per object. */
export interface WebhookDeliverer {
  /** Starts due deliveries up to the concurrency limit and returns how many. Call it every second; a finished delivery also starts the next ones. */
  runOnce(): Promise<number>
  /** Deletes expired events. Call it periodically. */
  deleteOld(stopping?: AbortSignal): Promise<number>
  /** Resolves when no delivery is in progress. */
  idle(): Promise<void>
  /** Aborts the deliveries in progress; their leases expire. */
  stop(): Promise<void>
}

export interface WebhookDelivererDependencies extends DeliveryDependencies {
  readonly settings: WebhookSettings
}

export function makeWebhookDeliverer(deps: WebhookDelivererDependencies): WebhookDeliverer {
  const { store, clock, settings, failed } = deps
  const attemptDelivery = makeDeliveryAttempts(deps)
  const stopping = new AbortController()
  const inProgress = new Map<Promise<void>, string>()
  let filling: Promise<number> | null = null
  /** How often `fill` was called. */
  let fillCalls = 0
  return Object.freeze({
    runOnce: fill,
    deleteOld: (stopping?: AbortSignal) => deleteInPages(store, deleteOldEvents, clock.now() - settings.eventRetentionMs, stopping),
    async idle() {
      while (inProgress.size > 0 || filling !== null) await Promise.all([...inProgress.keys(), filling])
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await filling?.catch(() => 0)
      await Promise.all(inProgress.keys())
    },
  })

  /** Only one claim loop runs at a time. A call during the loop waits for it and makes it claim once more. */
  function fill(): Promise<number> {
    fillCalls += 1
    filling ??= claimAndStart().finally(() => (filling = null))
    return filling
  }

  async function claimAndStart(): Promise<number> {
    let started = 0
    while (!stopping.signal.aborted && inProgress.size < settings.inFlightMax) {
      const fillCallsBefore = fillCalls
      const count = Math.min(settings.endpointInFlightMax, settings.inFlightMax - inProgress.size)
      const claimed = await claim(count)
      started += claimed.length
      if (claimed.length < count && fillCalls === fillCallsBefore) break
    }
    return started
  }

  async function claim(count: number): Promise<readonly DeliveryRow[]> {
    const now = clock.now()
    const claimId = issueRandomId(12)
    const claimed = await store.write(claimDeliveries, { now, leaseUntil: now + settings.leaseMs, claimId, count, busy: busyEndpoints() })
    for (const delivery of claimed) start(delivery, claimId)
    return claimed
  }

  function start(delivery: DeliveryRow, claimId: string): void {
    const delivering = attemptDelivery(delivery, claimId, stopping.signal)
      .catch(failed)
      .then(() => {
        inProgress.delete(delivering)
        // The next event of the same object may now be due.
        if (!stopping.signal.aborted) fill().catch(failed)
      })
    inProgress.set(delivering, delivery.endpointId)
  }

  /** Endpoints at their concurrency limit. A slow endpoint delays only its own events. */
  function busyEndpoints(): string[] {
    const counts = new Map<string, number>()
    for (const endpointId of inProgress.values()) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= settings.endpointInFlightMax).map(([endpointId]) => endpointId)
  }
}
