import type { QueuedEndpoint } from '../../store/delivery-claims.ts'

import { makeEndpointPace, type EndpointAnswer, type EndpointPace } from './endpoint-pace.ts'

/** The endpoints for which this process delivers, in the order of their turns, and how much each may have in progress. */
export interface EndpointQueues {
  /** Deliveries in progress. */
  readonly inFlight: number
  /** Notes that something is due for an endpoint. */
  add(endpoint: QueuedEndpoint): void
  /** The endpoints whose turn it is, at most `count`, each with the number of deliveries to claim; their turn is over until `endTurn`. */
  takeTurns(count: number, monotonicMs: number): EndpointTurn[]
  endTurn(turn: EndpointTurn, claimed: { readonly count: number; readonly hasMore: boolean }): void
  /** Notes that a delivery has ended. True when the endpoint answers again after it was down. */
  end(endpoint: QueuedEndpoint, attempt: EndedAttempt): boolean
  /** Whether an endpoint does not answer. */
  isDown(endpoint: QueuedEndpoint): boolean
  /** The endpoints that do not answer. */
  listDown(): QueuedEndpoint[]
}

export interface EndpointTurn {
  readonly endpoint: QueuedEndpoint
  readonly count: number
}

export interface EndedAttempt {
  readonly answer: EndpointAnswer
  /** Of the monotonic clock, milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** Whether the next event of its object is due. */
  readonly hasNext: boolean
}

interface EndpointQueue {
  readonly endpoint: QueuedEndpoint
  readonly pace: EndpointPace
  inFlight: number
  /** Held back in `inFlight` while it is being claimed. */
  reserved: number
  isDue: boolean
  lastUsedAt: number
}

export interface EndpointQueueSettings {
  /** Maximum concurrent attempts of this process. */
  readonly inFlightMax: number
  /** Maximum concurrent attempts to one endpoint. */
  readonly endpointInFlightMax: number
}

export function makeEndpointQueues({ inFlightMax, endpointInFlightMax }: EndpointQueueSettings): EndpointQueues {
  /** The first is next. */
  const queues = new Map<string, EndpointQueue>()
  let inFlight = 0
  return {
    get inFlight() {
      return inFlight
    },
    add: (endpoint) => void (queueOf(endpoint).isDue = true),
    takeTurns,
    endTurn,
    end,
    isDown: ({ endpointId }) => queues.get(endpointId)?.pace.isDown() === true,
    listDown: () => [...queues.values()].filter(({ pace }) => pace.isDown()).map(({ endpoint }) => endpoint),
  }

  function queueOf(endpoint: QueuedEndpoint): EndpointQueue {
    let queue = queues.get(endpoint.endpointId)
    if (queue === undefined) {
      const pace = makeEndpointPace(endpointInFlightMax)
      queue = { endpoint, pace, inFlight: 0, reserved: 0, isDue: false, lastUsedAt: 0 }
      queues.set(endpoint.endpointId, queue)
    }
    return queue
  }

  function takeTurns(count: number, monotonicMs: number): EndpointTurn[] {
    const turns: EndpointTurn[] = []
    for (const queue of [...queues.values()]) {
      if (turns.length === count || inFlight >= inFlightMax) break
      const free = queue.isDue && queue.reserved === 0 ? freeFor(queue, monotonicMs) : 0
      if (free <= 0) {
        forgetIdle(queue, monotonicMs)
        continue
      }
      queue.isDue = false
      queue.reserved = free
      queue.lastUsedAt = monotonicMs
      inFlight += free
      // Its next turn is after everybody else's.
      queues.delete(queue.endpoint.endpointId)
      queues.set(queue.endpoint.endpointId, queue)
      turns.push({ endpoint: queue.endpoint, count: free })
    }
    return turns
  }

  /**
   * An endpoint may have in progress what its pace allows, and a share of the places that are still free (dynamic threshold): the fewer are free, the
   * fewer each may take, so there is always room for an endpoint that has nothing in progress.
   */
  function freeFor({ pace, inFlight: own }: EndpointQueue, monotonicMs: number): number {
    const free = inFlightMax - inFlight
    const share = Math.max(1, Math.floor((free * 2 * endpointInFlightMax) / inFlightMax))
    const allowed = Math.min(pace.allowed(monotonicMs), share)
    // Not one claim for each delivery that ends: they are claimed a few at a time.
    return own > 0 && allowed - own < allowed / 4 ? 0 : Math.min(allowed - own, free)
  }

  function endTurn({ endpoint, count }: EndpointTurn, claimed: { readonly count: number; readonly hasMore: boolean }): void {
    const queue = queueOf(endpoint)
    inFlight -= count - claimed.count
    queue.inFlight += claimed.count
    queue.reserved = 0
    // A page of deliveries that all wait for others is read again at the next discovery only.
    if (claimed.hasMore && claimed.count > 0) queue.isDue = true
  }

  function end(endpoint: QueuedEndpoint, { answer, startedAt, endedAt, hasNext }: EndedAttempt): boolean {
    const queue = queueOf(endpoint)
    inFlight -= 1
    queue.inFlight -= 1
    if (hasNext) queue.isDue = true
    return queue.pace.record(answer, { startedAt, endedAt })
  }

  /**
   * What is known of an endpoint is dropped after a while, so that the map does not grow with every endpoint that there ever was. One that is down is
   * probed while anything waits for it, so it is unused only when it was removed or everything was given up.
   */
  function forgetIdle({ endpoint, inFlight: own, reserved, isDue, lastUsedAt }: EndpointQueue, monotonicMs: number): void {
    const isIdle = !isDue && own + reserved === 0
    if (isIdle && monotonicMs - lastUsedAt > idleMs) queues.delete(endpoint.endpointId)
  }
}

const idleMs = 600_000
