import type { Clock } from '../../clock.ts'
import { listDueAfter, moveDeliveries, type PostponedCursor, type PostponedDelivery } from '../../store/postponed-deliveries.ts'
import type { Store } from '../../store/store.ts'

import { longestRetryWaitAfter } from './schedule.ts'
import type { WebhookSettings } from './settings.ts'

export interface WakeDeliveryDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly settings: Pick<WebhookSettings, 'leaseMs'>
}

/**
 * Lets begin anew what waits longer than it ever would after so many attempts, because a clock that was ahead has set its time: it may also be that the clock
 * was right, and is behind now. An attempt that seems to be in progress gets a lease: if its process has died, the delivery is due when that is over.
 * Resolves to the number of deliveries.
 */
export async function wakeDeliveries({ store, clock, settings }: WakeDeliveryDependencies, stopping?: AbortSignal): Promise<number> {
  const now = clock.now()
  let woken = 0
  let after: PostponedCursor = { dueAt: now + settings.leaseMs, eventId: '', endpointId: '' }
  while (stopping?.aborted !== true) {
    const page = await store.read(listDueAfter({ after, count: pageSize }))
    const postponed = page.filter((delivery) => delivery.dueAt > latestOf(delivery))
    for (const deliveries of byEndpoint(postponed)) {
      const moved = deliveries.map((delivery) => ({ ...delivery, to: now + longestWaitOf(delivery) }))
      const [first] = deliveries
      if (first !== undefined) await store.write(moveDeliveries, { endpoint: first, deliveries: moved })
      woken += deliveries.length
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    after = last
  }
  return woken

  /** The latest time that a clock that is right would have set. An event behind another one of its object may wait for that one: then it waits again. */
  function latestOf(delivery: PostponedDelivery): number {
    return now + clocksApartMs + longestWaitOf(delivery)
  }

  function longestWaitOf({ claimId, attempts }: PostponedDelivery): number {
    return claimId === '' ? longestRetryWaitAfter(attempts) : settings.leaseMs
  }
}

function byEndpoint(deliveries: readonly PostponedDelivery[]): PostponedDelivery[][] {
  return [...Map.groupBy(deliveries, ({ endpointId }) => endpointId).values()]
}

const pageSize = 256
/** Between the clocks of two machines that are both right. */
const clocksApartMs = 5000
