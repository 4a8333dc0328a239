import type { Clock } from '../clock.ts'

/** A job that comes round again and again. */
export interface Rounds {
  /** Ends the rounds; resolves when the one under way has ended. */
  stop(): Promise<void>
}

export interface RoundsParts {
  readonly clock: Clock
  /** Between the end of one run and the start of the next. */
  readonly everyMs: number
  /** Aborted when the rounds are to end: a long run leaves the rest for another day. */
  readonly run: (stopping: AbortSignal) => Promise<unknown>
  readonly failed: (err: unknown) => void
}

/** Runs a job again and again, never twice at once; a run that fails is told, and the next one comes all the same. */
export function makeRounds({ clock, everyMs, run, failed }: RoundsParts): Rounds {
  const stopping = new AbortController()
  const ended = goRound()
  return Object.freeze({
    stop() {
      stopping.abort()
      return ended
    },
  })

  async function goRound(): Promise<void> {
    while (await slept()) await run(stopping.signal).catch(failed)
  }
  /** False when the sleep was ended by the stop. */
  async function slept(): Promise<boolean> {
    await clock.sleep(everyMs, stopping.signal).catch(() => undefined)
    return !stopping.signal.aborted
  }
}
