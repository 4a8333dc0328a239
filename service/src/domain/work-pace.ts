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
}

export function makeWorkPace({ clock, waitingWrites }: WorkPaceDependencies): WorkPace {
  return Object.freeze({
    monotonicMs: () => clock.moment().monotonicMs,
    async pause(tookMs: number, stopping: AbortSignal = neverAborted) {
      const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, tookMs * (1 / shareOfTime - 1)))
      for (let waitedMs = 0; waitedMs < maxPauseMs && !stopping.aborted; waitedMs += pauseMs) {
        await clock.sleep(pauseMs, stopping).catch(() => undefined)
        if (waitingWrites() <= maxWaitingWrites) return
      }
    },
  })
}

/** Runs bounded rounds one after the other, each followed by a pause, until one finds nothing to do. Returns the sum. */
export async function runWhileWorking(
  round: (stopping?: AbortSignal) => Promise<number>,
  { pause, monotonicMs }: WorkPace,
  stopping: AbortSignal,
): Promise<number> {
  let sum = 0
  while (!stopping.aborted) {
    const startedAt = monotonicMs()
    const done = await round(stopping)
    sum += done
    if (done === 0) break
    await pause(monotonicMs() - startedAt, stopping)
  }
  return sum
}

/** Of the time, one kind of work uses at most this share. */
const shareOfTime = 0.25
const minPauseMs = 5
/** After this long the next page is made in any case: what has to be destroyed is destroyed, also under a load that never ends. */
const maxPauseMs = 5000
/** With more writes of calls waiting, the pause is repeated. */
const maxWaitingWrites = 32
const neverAborted = new AbortController().signal
