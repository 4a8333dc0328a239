/** Bounds how long calls are begun in one turn of the event loop, so that timers and other listeners are on time however many arrive at once. */
export interface TurnBudget {
  /** Begins a request of a client now, or in a later turn when this one has taken too long. */
  run(client: string, begin: () => void): void
}

export interface TurnBudgetOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Calls back in the next turn, after the timers that are due. */
  readonly nextTurn: (run: () => void) => void
  /** Calls back in this turn, when the requests that were begun wait for something outside. */
  readonly afterCalls: (run: () => void) => void
}

/**
 * Requests that do not fit into a turn wait. One of each client is begun in its turn, those of one client in the order in which they came: a client that sends
 * thousands waits for itself. Reading what has arrived is not counted, so a turn of the event loop may take longer.
 */
export function makeTurnBudget({ now, nextTurn, afterCalls }: TurnBudgetOptions): TurnBudget {
  /** The requests of each client that has any, in the order in which the clients get their turns. */
  const waiting = new Map<string, ClientRequests>()
  let startedAt = -Infinity
  /** Until the next turn begins, requests that arrive are those of this turn. */
  let isNextAsked = false

  return Object.freeze<TurnBudget>({
    run(client, begin) {
      const at = now()
      const isOver = at - startedAt >= turnMs
      if (waiting.size > 0 || (isOver && isNextAsked)) {
        const ofClient = waiting.get(client)
        if (ofClient === undefined) waiting.set(client, { requests: [begin], first: 0 })
        else ofClient.requests.push(begin)
        askNext()
        return
      }
      // Only one request in ten milliseconds asks whether the turn has ended since, because asking costs some microseconds.
      if (isOver) {
        startedAt = at
        askNext()
      }
      begin()
    },
  })

  function askNext(): void {
    if (isNextAsked) return
    isNextAsked = true
    nextTurn(beginTurn)
  }

  function beginTurn(): void {
    isNextAsked = false
    if (waiting.size === 0) return
    startedAt = now()
    beginNext()
  }

  function beginNext(): void {
    const begin = now() - startedAt < turnMs ? takeNext() : undefined
    if (begin !== undefined) {
      afterCalls(beginNext)
      begin()
    } else if (waiting.size > 0) askNext()
  }

  /** The next request of the client whose turn it is, which then has the last turn. */
  function takeNext(): (() => void) | undefined {
    for (const [client, ofClient] of waiting) {
      const begin = ofClient.requests[ofClient.first++]
      waiting.delete(client)
      if (ofClient.first < ofClient.requests.length) waiting.set(client, giveBack(ofClient))
      return begin
    }
    return undefined
  }
}

interface ClientRequests {
  readonly requests: (() => void)[]
  /** Those before it have been begun. */
  first: number
}

/** Gives back the places of many requests that were begun. */
function giveBack(waiting: ClientRequests): ClientRequests {
  return waiting.first < placesKept ? waiting : { requests: waiting.requests.slice(waiting.first), first: 0 }
}

const turnMs = 10
/** As many places of requests that were begun are kept. */
const placesKept = 1024
