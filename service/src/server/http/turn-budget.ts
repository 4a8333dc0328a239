/** Bounds how long calls are begun in one turn of the event loop, so that timers and other listeners are on time however many arrive at once. */
export interface TurnBudget {
  /** Begins a request now, or in a later turn when this one has taken too long. */
  run(begin: () => void): void
}

export interface TurnBudgetOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Calls back in the next turn, after the timers that are due. */
  readonly nextTurn: (run: () => void) => void
  /** Calls back in this turn, when the requests that were begun wait for something outside. */
  readonly afterCalls: (run: () => void) => void
}

/** Requests that do not fit into a turn wait in the order in which they came. Reading what has arrived is not counted, so a turn may take longer. */
export function makeTurnBudget({ now, nextTurn, afterCalls }: TurnBudgetOptions): TurnBudget {
  let waiting: (() => void)[] = []
  /** Those before it have been begun. */
  let first = 0
  let startedAt = -Infinity
  /** Until the next turn begins, requests that arrive are those of this turn. */
  let isNextAsked = false

  return Object.freeze<TurnBudget>({
    run(begin) {
      const at = now()
      const isOver = at - startedAt >= turnMs
      if (first < waiting.length || (isOver && isNextAsked)) {
        waiting.push(begin)
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
    if (first === waiting.length) return
    startedAt = now()
    beginNext()
  }

  function beginNext(): void {
    const begin = now() - startedAt < turnMs ? waiting[first] : undefined
    if (begin === undefined) {
      endTurn()
      return
    }
    first++
    afterCalls(beginNext)
    begin()
  }

  function endTurn(): void {
    if (first === waiting.length || first >= placesKept) {
      waiting = waiting.slice(first)
      first = 0
    }
    if (waiting.length > 0) askNext()
  }
}

const turnMs = 10
/** More places of requests that were begun are given back. */
const placesKept = 1024
