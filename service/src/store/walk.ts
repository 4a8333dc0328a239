/**
 * The progress of work that goes through whole tables. It counts what was done, lets requests run in between, and ends the work when nobody waits for it
 * any more.
 */
export interface Walk {
  /** Aborted when the walk is cancelled; undefined when nobody can. */
  readonly signal: AbortSignal | undefined
  /** Begins a stage. `total` is what it will count, as far as known; null when it is unknown, or the stage is one query. */
  begin(stage: string, total: number | null): void
  /**
   * Counts what was done. When this thread has worked for some milliseconds without a pause, it returns a promise that resolves when requests that waited
   * were handled. Throws, or rejects with, the reason of the signal once the walk is cancelled.
   */
  advance(count: number): Promise<void> | void
}

/** How far a walk is. */
export interface WalkProgress {
  readonly stage: string
  readonly done: number
  readonly total: number | null
  /** Since the stage began. */
  readonly seconds: number
}

export interface WalkOptions {
  /** Cancels the walk. */
  readonly signal?: AbortSignal
  /** Called at the beginning of each stage, then at most once a second. */
  readonly onProgress?: (progress: WalkProgress) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export function makeWalk({ signal, onProgress, now }: WalkOptions): Walk {
  let stage = ''
  let done = 0
  let total: number | null = null
  let beganAt = now()
  let reportedAt = beganAt
  let pausedAt = beganAt
  return Object.freeze({ signal, begin, advance })

  function begin(name: string, count: number | null): void {
    signal?.throwIfAborted()
    ;[stage, total, done, beganAt] = [name, count, 0, now()]
    report(beganAt)
  }

  function advance(count: number): Promise<void> | void {
    signal?.throwIfAborted()
    done += count
    const at = now()
    if (at - reportedAt >= reportMs) report(at)
    if (at - pausedAt >= sliceMs) return pause()
  }

  async function pause(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve))
    pausedAt = now()
    signal?.throwIfAborted()
  }

  function report(at: number): void {
    reportedAt = at
    onProgress?.({ stage, done, total, seconds: (at - beganAt) / 1000 })
  }
}

/** For small ranges: it counts nothing, and nobody cancels it. */
export const noWalk: Walk = Object.freeze({ signal: undefined, begin: () => undefined, advance: () => undefined })

/** Requests wait at most this long for a slice of the walk. */
const sliceMs = 5
const reportMs = 1000
