import type { Clock } from '../clock.ts'
import { makeRounds } from './rounds.ts'

/** Between the end of one run and the start of the next, milliseconds. */
export const everyMs = Object.freeze({
  sweep: 60_000,
  reseal: 30_000,
  settle: 1000,
  deliver: 1000,
  tally: 2000,
  record: 1000,
  disclose: 3_600_000,
})

/** A job of the background: how often, what, and the word under which the log counts what it did. */
export interface Job {
  readonly event: string
  readonly everyMs: number
  /** Ends early, between two pages, when it is told to stop. */
  readonly run: (stopping: AbortSignal) => Promise<number>
}

/** Where jobs are told of, and what ends them. */
export interface BackgroundParts {
  readonly clock: Clock
  readonly done: (event: string, count: number) => void
  readonly failed: (err: unknown) => void
}

/** Starts the jobs; gives what ends each, in their order. A round that did nothing is not told. */
export function startJobs(jobs: readonly Job[], { clock, done, failed }: BackgroundParts): (() => Promise<void>)[] {
  return jobs.map(({ event, everyMs, run }) => {
    const counted = async (stopping: AbortSignal): Promise<void> => {
      const count = await run(stopping)
      if (count > 0) done(event, count)
    }
    return makeRounds({ clock, everyMs, run: counted, failed }).stop
  })
}
