import { issueRandomId } from '@tessera/vault/id'

import {
  claimDeliveries,
  claimPageSize,
  endpointPageSize,
  findEndpointPageEnd,
  findNextWaiting,
  giveUpOverdue,
  listDueEndpoints,
  listRecentlyDue,
  type QueuedEndpoint,
  wakeEndpoint,
} from '../../store/delivery-claims.ts'
import type { DeliveryRow } from '../../store/deliveries.ts'
import { deleteOldEvents } from '../../store/outbox.ts'
import { deleteInPages } from '../../store/store.ts'

import { makeDeliveryAttempts, type DeliveryDependencies } from './attempt-delivery.ts'
import { toEndpointAnswer } from './endpoint-pace.ts'
import { makeEndpointQueues, type EndpointTurn } from './endpoint-queues.ts'
import { retryWaitsMs } from './schedule.ts'
import type { WebhookSettings } from './settings.ts'

export type { WebhookEndpointAdministration } from './endpoints.ts'
export type { TestEventResult } from './test-event.ts'

/** Delivers events from the outbox to the merchants' endpoints: at least once, in order per object, each endpoint at its own pace. */
export interface WebhookDeliverer {
  /** Looks for endpoints with due deliveries, starts what each may have in progress and returns how many. A finished delivery also starts the next ones. */
  runOnce(): Promise<number>
  /** Deletes expired events, and gives up what an endpoint that is down has not taken for three days. Call it periodically. */
  deleteOld(stopping?: AbortSignal): Promise<number>
  stats(): DelivererStats
  /** Resolves when no delivery is in progress. */
  idle(): Promise<void>
  /** Aborts the deliveries in progress; their leases expire. */
  stop(): Promise<void>
}

/** Of this process. */
export interface DelivererStats {
  readonly inFlight: number
  readonly endpointsDown: number
}

export interface WebhookDelivererDependencies extends DeliveryDependencies {
  readonly settings: WebhookSettings
  /** Told of endpoints that do not answer. */
  readonly endpointObserver?: WebhookEndpointObserver
}

/** Told of endpoints that do not answer: no metric says whose they are. */
export interface WebhookEndpointObserver {
  /** After each attempt that an endpoint that is down has not answered; `outcome` is that of the attempt. */
  down(delivery: Pick<DeliveryRow, 'endpointId' | 'merchantId'>, outcome: string): void
  /** The endpoint answers again. */
  recovered(delivery: Pick<DeliveryRow, 'endpointId' | 'merchantId'>): void
}

export function makeWebhookDeliverer(deps: WebhookDelivererDependencies): WebhookDeliverer {
  const { store, clock, settings, failed, endpointObserver } = deps
  const attemptDelivery = makeDeliveryAttempts(deps)
  const queues = makeEndpointQueues(settings)
  const discover = makeDiscovery(deps, queues.add)
  const stopping = new AbortController()
  const inProgress = new Set<Promise<void>>()
  /** By endpoint, those of the last minute and those that have yet to be made. */
  const wakes = new Map<string, EndpointWake>()
  let filling: Promise<number> | null = null
  /** How often `fill` was called. */
  let fillCalls = 0
  return Object.freeze({
    async runOnce() {
      await discover()
      startWakes()
      return fill()
    },
    deleteOld,
    stats: () => ({ inFlight: queues.inFlight, endpointsDown: queues.listDown().length }),
    async idle() {
      while (inProgress.size > 0 || filling !== null) await Promise.all([...inProgress, filling])
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await filling?.catch(() => 0)
      await Promise.all(inProgress)
    },
  })

  function monotonicMs(): number {
    return clock.moment().monotonicMs
  }

  /** Only one claim loop runs at a time. A call during the loop waits for it and makes it look once more. */
  function fill(): Promise<number> {
    fillCalls += 1
    filling ??= claimAndStart().finally(() => (filling = null))
    return filling
  }

  async function claimAndStart(): Promise<number> {
    let started = 0
    while (!stopping.signal.aborted) {
      const fillCallsBefore = fillCalls
      const turns = queues.takeTurns(concurrentClaims, monotonicMs())
      const claimed = await Promise.all(turns.map(claim))
      started += claimed.reduce((sum, count) => sum + count, 0)
      if (turns.length === 0 && fillCalls === fillCallsBefore) break
    }
    return started
  }

  async function claim(turn: EndpointTurn): Promise<number> {
    const { endpoint, count } = turn
    const now = clock.now()
    const claimId = issueRandomId(12)
    try {
      const { claimed, hasMore } = await store.write(claimDeliveries, { endpoint, now, leaseUntil: now + settings.leaseMs, claimId, count })
      queues.endTurn(turn, { count: claimed.length, hasMore })
      for (const delivery of claimed) start(delivery, claimId)
      return claimed.length
    } catch (err) {
      // The next discovery finds the endpoint again.
      queues.endTurn(turn, { count: 0, hasMore: false })
      failed(err)
      return 0
    }
  }

  function start(delivery: DeliveryRow, claimId: string): void {
    // Afterwards the next event of the same object may be due, and there is room for another.
    track(deliver(delivery, claimId).catch(failed).then(startNext))
  }

  function startNext(): void {
    if (!stopping.signal.aborted) fill().catch(failed)
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => inProgress.delete(tracked))
    inProgress.add(tracked)
  }

  async function deliver(delivery: DeliveryRow, claimId: string): Promise<void> {
    const endpoint = { bucket: delivery.bucket, endpointId: delivery.endpointId }
    const startedAt = monotonicMs()
    let answer: ReturnType<typeof toEndpointAnswer> = 'neutral'
    let hasNext = false
    let outcome = ''
    let isBack = false
    try {
      const attempted = await attemptDelivery(delivery, claimId, stopping.signal)
      answer = toEndpointAnswer(attempted.result)
      outcome = attempted.result.outcome
      hasNext = attempted.hasNext
    } finally {
      isBack = queues.end(endpoint, { answer, startedAt, endedAt: monotonicMs(), hasNext })
    }
    if ((answer === 'none' || answer === 'refused') && queues.isDown(endpoint)) endpointObserver?.down(delivery, outcome)
    if (!isBack) return
    endpointObserver?.recovered(delivery)
    requestWake(endpoint)
  }

  /** Everything that failed while an endpoint was down is sent again now, or a minute after the last time: an endpoint may fail again and again. */
  function requestWake(endpoint: QueuedEndpoint): void {
    queues.add(endpoint)
    const wokenAt = wakes.get(endpoint.endpointId)?.wokenAt ?? -Infinity
    wakes.set(endpoint.endpointId, { endpoint, wokenAt, isRequested: true })
    startWakes()
  }

  function startWakes(): void {
    const now = monotonicMs()
    for (const [endpointId, { endpoint, wokenAt, isRequested }] of wakes) {
      if (now - wokenAt < minWakeIntervalMs) continue
      if (!isRequested) {
        wakes.delete(endpointId)
        continue
      }
      wakes.set(endpointId, { endpoint, wokenAt: now, isRequested: false })
      track(wake(endpoint).catch((err: unknown) => retryWake(endpoint, err)))
    }
  }

  /** The store failed: after a while this is tried again. */
  function retryWake(endpoint: QueuedEndpoint, err: unknown): void {
    wakes.set(endpoint.endpointId, { endpoint, wokenAt: monotonicMs() - minWakeIntervalMs + failedWakePauseMs, isRequested: true })
    failed(err)
  }

  async function wake(endpoint: QueuedEndpoint): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = await store.write(wakeEndpoint, { endpoint, now: clock.now() })
      queues.add(endpoint)
      startNext()
      if (woken < claimPageSize) return
    }
  }

  async function deleteOld(stopped?: AbortSignal): Promise<number> {
    const now = clock.now()
    for (const endpoint of queues.listDown())
      while (stopped?.aborted !== true)
        if ((await store.write(giveUpOverdue, { endpoint, now, dueBefore: now - giveUpAfterMs })) < claimPageSize) break
    return deleteInPages(store, deleteOldEvents, now - settings.eventRetentionMs, stopped)
  }
}

/** Makes everything due that waits for an endpoint. */
interface EndpointWake {
  readonly endpoint: QueuedEndpoint
  /** When it was last begun, of the monotonic clock. */
  readonly wokenAt: number
  /** Whether the endpoint has answered again since. */
  readonly isRequested: boolean
}

/**
 * Finds endpoints with due deliveries: what has become due lately on every call, a page of all existing endpoints once a second, and one endpoint of
 * those that may have been removed.
 */
function makeDiscovery({ store, clock }: Pick<DeliveryDependencies, 'store' | 'clock'>, add: (endpoint: QueuedEndpoint) => void) {
  let [after, afterWaiting] = [beforeAll, beforeAll]
  let pageAt = -Infinity
  return async function discover(): Promise<void> {
    const now = clock.now()
    const { monotonicMs } = clock.moment()
    for (const endpoint of await store.read(listRecentlyDue({ from: now - recentMs, to: now }))) add(endpoint)
    if (monotonicMs - pageAt < pageIntervalMs) return
    pageAt = monotonicMs
    const end = await store.read(findEndpointPageEnd({ after, count: endpointPageSize }))
    for (const endpoint of await store.read(listDueEndpoints({ after, upTo: end ?? behindAll, now }))) add(endpoint)
    after = end ?? beforeAll
    const waiting = await store.read(findNextWaiting(afterWaiting))
    if (waiting !== null) add(waiting)
    afterWaiting = waiting ?? beforeAll
  }
}

const beforeAll: QueuedEndpoint = { bucket: -1, endpointId: '' }
const behindAll: QueuedEndpoint = { bucket: 2 ** 31 - 1, endpointId: '' }
/** Longer than a transaction takes from the time of its event to its COMMIT. */
const recentMs = 5000
const pageIntervalMs = 1000
/** Claims that wait for the store at the same time. */
const concurrentClaims = 4
const minWakeIntervalMs = 60_000
const failedWakePauseMs = 5000
/** As long as all attempts of a delivery take. */
const giveUpAfterMs = retryWaitsMs.reduce((sum, wait) => sum + wait, 0)
