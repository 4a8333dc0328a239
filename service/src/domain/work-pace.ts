import type { Clock } from '../clock.ts'

/** Work of the background that follows its backlog, page after page, within a share of the time, and gives way to the writes of calls. */
export interface WorkPace {
  /** Milliseconds of a clock that never jumps, to time a page with. */
  monotonicMs(): number
  /** Pauses after a page that took `tookMs`, before the next one. Ends early when `stopping` is aborted. */
  pause(tookMs: number, stopping?: AbortSignal): Promise<void>
}

export interface WorkPaceDependencies {
  readonly clock: Pick<Clock, 'sleep' | 'moment'>
  /** Writes that wait to be committed: those of calls, since the page before is stored. */
  readonly waitingWrites: () => number
  /** Of the time, the work uses at most this share, above 0 and up to 1. Default: a quarter. */
  readonly shareOfTime?: number
}

export function makeWorkPace({ clock, waitingWrites, shareOfTime = 0.25 }: WorkPaceDependencies): WorkPace {
  return Object.freeze({
    monotonicMs: () => clock.moment().monotonicMs,
    async pause(tookMs: number, stopping: AbortSignal = neverAborted) {
      const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, tookMs * (1 / shareOfTime - 1)))
      const longestMs = Math.min(maxPauseMs, Math.max(pauseMs, tookMs * giveWayFactor))
      for (let waitedMs = 0; waitedMs < longestMs && !stopping.aborted; waitedMs += pauseMs) {
        await clock.sleep(pauseMs, stopping).catch(() => undefined)
        if (waitingWrites() <= maxWaitingWrites) return
      }
    },
  })
}

/**
 * Changes rows, a few at a time, each time followed by a pause. A call whose write comes meanwhile waits for these few only. Returns how many were changed;
 * `stopping` ends it between two pauses.
 */
export async function changeAtPace<T>(
  rows: readonly T[],
  change: (row: T) => Promise<boolean>,
  { pace, stopping }: { readonly pace?: WorkPace | undefined; readonly stopping?: AbortSignal | undefined },
): Promise<number> {
  let changed = 0
  for (let at = 0; at < rows.length && stopping?.aborted !== true; at += rowsAtOnce) {
    const startedAt = pace?.monotonicMs() ?? 0
    const done = await Promise.all(rows.slice(at, at + rowsAtOnce).map(change))
    changed += done.filter((isDone) => isDone).length
    await pace?.pause(pace.monotonicMs() - startedAt, stopping)
  }
  return changed
}

/** Runs bounded rounds one after the other until one finds nothing to do. Each round pauses by itself. Returns the sum. */
export async function runWhileWorking(round: (stopping: AbortSignal) => Promise<number>, stopping: AbortSignal): Promise<number> {
  let sum = 0
  while (!stopping.aborted) {
    const done = await round(stopping)
    sum += done
    if (done === 0) break
  }
  return sum
}

const minPauseMs = 5
/** Some milliseconds of the store. */
const rowsAtOnce = 20
/** After this long the next page is made in any case: what has to be destroyed is destroyed, also under a load that never ends. */
const maxPauseMs = 5000
/** And after so many times as long as the page took, so that a page of few rows does not wait as long as one of many. */
const giveWayFactor = 10
/** With more writes of calls waiting, the pause is repeated. */
const maxWaitingWrites = 32
const neverAborted = new AbortController().signal
