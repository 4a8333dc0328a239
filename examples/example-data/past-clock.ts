import { setTimeout as waitMs } from 'node:timers/promises'

import type { Clock } from '../../service/src/clock.ts'

/** A clock that begins in the past and stands until it is moved, forward only. */
export interface PastClock extends Clock {
  /** Moves both clocks forward to a Unix time in milliseconds; an earlier one changes nothing. */
  moveTo(at: number): void
  /** Waits for a call that sleeps, such as one of the test card that takes ten seconds: the time moves on to the end of each sleep. */
  passing<T>(call: Promise<T>): Promise<T>
}

interface Sleeper {
  readonly until: number
  wake(): void
}

export function makePastClock(startMs: number): PastClock {
  let elapsedMs = 0
  const sleepers = new Set<Sleeper>()
  const now = (): number => startMs + elapsedMs

  return Object.freeze<PastClock>({
    now,
    moment: () => ({ wallMs: now(), monotonicMs: firstMonotonicMs + elapsedMs, bootId: 'example-data' }),
    async sleep(ms, signal) {
      signal.throwIfAborted()
      // The pauses of background work between its batches.
      if (ms <= pauseMsMax) moveTo(now() + ms)
      else await sleep(now() + ms, signal)
    },
    moveTo,
    async passing(call) {
      const ended = call.then(
        () => true,
        () => true,
      )
      while (!(await Promise.race([ended, waitMs(realPauseMs, false)]))) {
        const next = Math.min(...[...sleepers].map(({ until }) => until))
        if (Number.isFinite(next)) moveTo(next)
      }
      return call
    },
  })

  function moveTo(at: number): void {
    elapsedMs = Math.max(elapsedMs, Math.ceil(at - startMs))
    for (const sleeper of [...sleepers].filter(({ until }) => until <= now())) sleeper.wake()
  }

  function sleep(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        sleepers.delete(sleeper)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => {
        leave()
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      const sleeper: Sleeper = {
        until,
        wake() {
          leave()
          resolve()
        },
      }
      sleepers.add(sleeper)
      signal.addEventListener('abort', abort)
    })
  }
}

const firstMonotonicMs = 1000
const pauseMsMax = 1000
/** Long enough for the store to write what a call waits for before it sleeps. */
const realPauseMs = 50
