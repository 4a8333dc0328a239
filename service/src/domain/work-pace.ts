import type { Clock } from '../clock.ts'

/** Work of the background that follows its backlog, batch after batch, within a share of the time, and gives way to the writes of calls. */
export interface WorkPace {
  /** Milliseconds of a clock that never jumps, to time a batch with. */
  monotonicMs(): number
  /** Rows of the next batch: fewer while batches take long, since calls wait for them. */
  batchRows(): number
  /** Pauses after a batch, before the next one. Ends early when `stopping` is aborted. */
  pause(batch: FinishedBatch, stopping?: AbortSignal): Promise<void>
}

export interface FinishedBatch {
  readonly tookMs: number
  /** How many rows were changed. */
  readonly changes: number
}

export interface WorkPaceDependencies {
  readonly clock: Pick<Clock, 'sleep' | 'moment'>
  /** Writes that the store has not completed, of all workers: those of calls, since the batch before is stored. */
  readonly waitingWrites: () => number
  /** Of the time, the work uses at most this share, above 0 and up to 1. Default: a quarter. */
  readonly shareOfTime?: number | undefined
  /** How long a batch may take by itself, milliseconds: calls wait for one where one thread writes. Default: no limit below that of a long batch. */
  readonly batchMs?: number | undefined
}

/**
 * The share is that of the work itself, not of the time it waits for a processor or a disk that others use: on a busy machine a batch takes ten times as
 * long, most of it waiting, and a pause of three times that would leave the backlog behind. A batch counts as long as its changes would have taken at the
 * least time of a change among the latest batches, since other work only ever adds time; the time it waited is part of its pause.
 */
export function makeWorkPace({ clock, waitingWrites, shareOfTime = 0.25, batchMs = longBatchMs }: WorkPaceDependencies): WorkPace {
  const ownTime = makeOwnTime()
  let rows = batchMs < longBatchMs ? minBatchRows : maxBatchRows
  return Object.freeze({
    monotonicMs: () => clock.moment().monotonicMs,
    batchRows: () => Math.min(rows, Math.max(minOwnRows, Math.floor(batchMs / ownTime.leastMs()))),
    async pause(batch: FinishedBatch, stopping: AbortSignal = neverAborted) {
      const own = ownTime.of(batch)
      rows = batch.tookMs > longBatchMs ? Math.max(minBatchRows, rows >> 1) : Math.min(maxBatchRows, rows + batchRowsStep)
      const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, own / shareOfTime - batch.tookMs))
      const longestMs = Math.min(maxPauseMs, Math.max(pauseMs, own * giveWayFactor))
      for (let waitedMs = 0; waitedMs < longestMs && !stopping.aborted; waitedMs += pauseMs) {
        await clock.sleep(pauseMs, stopping).catch(() => undefined)
        if (waitingWrites() <= maxWaitingWrites) return
      }
    },
  })
}

/** How long a batch takes when nothing else is in its way. */
function makeOwnTime() {
  const latest: number[] = []
  return {
    /** Of a change, milliseconds; 0 before the first batch. */
    leastMs: () => (latest.length === 0 ? 0 : Math.min(...latest)),
    of({ tookMs, changes }: FinishedBatch): number {
      // A small batch is mostly one COMMIT, which says nothing about a change.
      if (changes < minTimedChanges) return tookMs
      latest.push(tookMs / changes)
      if (latest.length > maxTimedBatches) latest.shift()
      return Math.min(...latest) * changes
    },
  }
}

/**
 * Changes rows, a batch at a time, each followed by a pause. A call whose write comes meanwhile waits for this batch only. `changeBatch` returns how many
 * were changed; the sum is returned. `stopping` ends it between two batches.
 */
export async function changeAtPace<T>(
  rows: readonly T[],
  changeBatch: (batch: readonly T[]) => Promise<number>,
  { pace, stopping }: { readonly pace?: WorkPace | undefined; readonly stopping?: AbortSignal | undefined },
): Promise<number> {
  let changed = 0
  for (let at = 0, end = 0; at < rows.length && stopping?.aborted !== true; at = end) {
    end = at + (pace?.batchRows() ?? maxBatchRows)
    const startedAt = pace?.monotonicMs() ?? 0
    const changes = await changeBatch(rows.slice(at, end))
    changed += changes
    await pace?.pause({ tookMs: pace.monotonicMs() - startedAt, changes }, stopping)
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
/** Some milliseconds of the store and of this thread. */
export const maxBatchRows = 100
/** Less would be mostly the COMMIT, and the wait for a processor. */
const minBatchRows = 25
/** The same where a batch may take only so long. */
const minOwnRows = 10
const batchRowsStep = 5
/** A batch that took longer is followed by one of half as many rows. */
const longBatchMs = 50
/** Batches of at least so many changes say how long a change takes. */
const minTimedChanges = 10
const maxTimedBatches = 256
/** After this long the next batch is made in any case: what has to be destroyed is destroyed, also under a load that never ends. */
const maxPauseMs = 5000
/** And after so many times as long as the batch took by itself, so that a batch of few rows does not wait as long as one of many. */
const giveWayFactor = 10
/** With more writes of calls at the store, the pause is repeated. Under a steady load a half of them are in the group that is being committed. */
const maxWaitingWrites = 64
const neverAborted = new AbortController().signal
