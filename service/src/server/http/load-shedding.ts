/** Chooses from which connections is read when more arrives than the event loop can handle, and what is refused: docs/decisions/0064-loop-overload.md. */
export interface LoadShedder {
  /** A connection was opened. */
  open(connection: ShedConnection): void
  /** It was closed. */
  close(connection: ShedConnection): void
  /** A request was read, and waits until it is begun. False: it does not, because it has to be refused. */
  admit(connection: ShedConnection): boolean
  /** A request that waited was begun, or dropped. */
  begin(): void
  /** Reads from a connection that is about to be closed. False: no connection was paused, so what it sent has been read. */
  release(connection: ShedConnection): boolean
  /** Connections that are not read. */
  paused(): number
  /** Reads from every connection, from now on. */
  stop(): void
}

/** What is needed of a socket. */
export interface ShedConnection {
  readonly destroyed: boolean
  pause(): unknown
  resume(): unknown
  on(event: 'resume', listener: () => void): unknown
}

export interface LoadShedderOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Calls back every so many milliseconds, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void
}

/**
 * Requests that were read may wait for `queueMs`. When there are more, nothing is read, and then one connection after the other as the loop gets on, those
 * that were paused first before the others. What is not read waits in the kernel, where it costs nothing. Nothing is refused for it.
 *
 * An overload is when connections had to wait for more than `lateMs` during a whole `intervalMs`. Until none is paused any more, those that were paused last are
 * read first: their clients are those that were served a moment ago, and their requests are fresh. The others are read again at a small share of the loop's
 * time, and what has waited there is refused.
 */
export function makeLoadShedder({ now, every }: LoadShedderOptions): LoadShedder {
  const readable = new Set<ShedConnection>()
  /** In the order in which they were paused. Those before `first` are read again. */
  let paused: PausedConnection[] = []
  let first = 0
  const unread = new Set<ShedConnection>()
  /** Read again in this step: a request that was waiting there is refused. */
  const stale = new Set<ShedConnection>()
  /** How many may be refused. */
  let refusals = 0
  /** Requests that were read and not begun. */
  let waiting = 0
  const speed = makeSpeed(now)
  /** Null: no connection is paused. */
  let stopSteps: (() => void) | null = null
  let isOverloaded = false
  let isStopped = false
  let steppedAt = 0
  /** The time in steps, which leaves out those in which the process did not run: they are no overload. */
  let passedMs = 0
  /** In `passedMs`. */
  let lateSince = Infinity

  return Object.freeze<LoadShedder>({
    open(connection) {
      // Node's HTTP parser resumes a new connection, and each after a whole request.
      connection.on('resume', () => {
        if (unread.has(connection)) connection.pause()
      })
      if (stopSteps === null) readable.add(connection)
      else addPaused(connection)
    },
    close(connection) {
      readable.delete(connection)
      stale.delete(connection)
      unread.delete(connection)
    },
    admit(connection) {
      if (stale.delete(connection)) {
        refusals--
        return false
      }
      waiting++
      if (waiting >= leastQueue && waiting >= queueLength()) holdBack(connection)
      return true
    },
    begin() {
      waiting--
      if (waiting > 0) speed.count()
      else speed.stop()
    },
    release(connection) {
      if (unread.delete(connection)) connection.resume()
      return stopSteps !== null
    },
    paused: () => unread.size,
    stop() {
      isStopped = true
      resumeOldest(Infinity)
      endPause()
    },
  })

  function queueLength(): number {
    return Math.max(queueMs / speed.msPerCall(), leastQueue)
  }

  function holdBack(connection: ShedConnection): void {
    if (isStopped) return
    if (stopSteps === null) {
      steppedAt = now()
      stopSteps = every(stepMs, step)
      pauseAll()
    } else if (waiting >= floodFactor * queueLength()) pauseAll()
    else if (readable.has(connection)) pause(connection)
  }

  /** All but those whose request is about to be refused: paused again it would seem fresh. */
  function pauseAll(): void {
    for (const each of readable) if (!stale.has(each)) pause(each)
  }

  function pause(connection: ShedConnection): void {
    readable.delete(connection)
    addPaused(connection)
    connection.pause()
  }

  function addPaused(connection: ShedConnection): void {
    unread.add(connection)
    paused.push({ connection, at: passedMs })
  }

  function step(): void {
    const at = now()
    const ms = Math.min(at - steppedAt, longestStepMs)
    steppedAt = at
    passedMs += ms
    // What had waited there has been read. On the others nothing had, so they have cost nothing.
    const spared = stale.size
    stale.clear()
    lateSince = isLate(paused[first]) ? Math.min(lateSince, passedMs) : Infinity
    if (passedMs - lateSince >= intervalMs) isOverloaded = true
    const room = queueLength() - waiting
    if (isOverloaded) {
      resumeNewest(room)
      countRefusals(ms, spared)
      refuseOldest()
    } else resumeOldest(room)
    dropResumed()
    if (paused.length === 0 && stale.size === 0) endPause()
  }

  function isLate(entry: PausedConnection | undefined): boolean {
    return entry !== undefined && passedMs - entry.at > lateMs
  }

  function resumeOldest(room: number): void {
    for (let left = room; left > 0 && first < paused.length;) if (resume(paused[first++])) left--
  }

  function resumeNewest(room: number): void {
    for (let left = room; left > 0 && first < paused.length && !isLate(paused.at(-1));) if (resume(paused.pop())) left--
  }

  function refuseOldest(): void {
    while (stale.size + 1 <= refusals && isLate(paused[first])) {
      const entry = paused[first++]
      if (resume(entry) && entry !== undefined) stale.add(entry.connection)
    }
  }

  /**
   * Refusing takes its share of the time, and all of it while nothing else waits. Then more connections are read, as long as nothing had waited on most of
   * them: but not so many that it would keep a turn long if something waits on all of the next.
   */
  function countRefusals(ms: number, spared: number): void {
    const msPerCall = speed.msPerCall()
    const inStep = Math.max(1, stepMs / msPerCall)
    refusals =
      waiting === 0 ? Math.min(inStep + spared, inStep * maxSpared) : Math.min(refusals + (ms * refusalsPerCall) / msPerCall, inStep)
  }

  /** False: it has been closed. */
  function resume(entry: PausedConnection | undefined): boolean {
    if (entry === undefined || !unread.delete(entry.connection)) return false
    if (entry.connection.destroyed) return false
    readable.add(entry.connection)
    entry.connection.resume()
    return true
  }

  function dropResumed(): void {
    if (first < paused.length && first < entriesKept) return
    paused = paused.slice(first)
    first = 0
  }

  function endPause(): void {
    stopSteps?.()
    stopSteps = null
    isOverloaded = false
    lateSince = Infinity
    refusals = 0
    stale.clear()
    dropResumed()
  }
}

/** Measures how long the event loop takes for a call while others wait. The median: a process that did not run for a moment is no slower for it. */
function makeSpeed(now: () => number) {
  let startedAt: number | null = null
  let begun = 0
  let recent: readonly number[] = []
  let median = firstMsPerCall
  return {
    /** A call was begun, and others wait. */
    count(): void {
      const at = now()
      startedAt ??= at
      if (at - startedAt >= windowMs) {
        recent = [...recent.slice(1 - windows), (at - startedAt) / begun]
        median = recent.toSorted((a, b) => a - b)[recent.length >> 1] ?? median
        startedAt = at
        begun = 0
      }
      begun++
    },
    /** No other waits. */
    stop(): void {
      startedAt = null
      begun = 0
    },
    msPerCall: () => median,
  }
}

interface PausedConnection {
  readonly connection: ShedConnection
  /** In the time of the steps. */
  readonly at: number
}

const queueMs = 150
/** Fewer requests are no queue. */
const leastQueue = 8
/** So many times the queue, and nothing is read again. */
const floodFactor = 3
const stepMs = 10
/** A step that took longer is none of the loop's: the process did not run. */
const longestStepMs = 50
/** With the queue, a second: most callers wait no longer. */
const lateMs = 850
const intervalMs = 1000
/** A refusal takes a fifth of a call (decision 43), so these are a twentieth of the time. */
const refusalsPerCall = 0.25
/** So many times as many connections are read as calls fit into a step: to refuse that many takes two steps. */
const maxSpared = 10
const windowMs = 50
const windows = 7
/** Until it has been measured. */
const firstMsPerCall = 1
/** More places of connections that are read again are given back. */
const entriesKept = 1024
