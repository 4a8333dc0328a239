import type { Clock } from '../../clock.ts'

/** A pause after every third wrong entry: half a minute, then twice as long each time. */
export interface EntryBackoff {
  /** Seconds until the next entry is read; 0 when it is read now. */
  waitSeconds(): number
  countWrong(): void
  reset(): void
}

export function makeEntryBackoff(clock: Pick<Clock, 'moment'>): EntryBackoff {
  let wrong = 0
  let blockedUntilMs = 0
  const nowMs = (): number => clock.moment().monotonicMs
  return Object.freeze<EntryBackoff>({
    waitSeconds: () => Math.max(0, Math.ceil((blockedUntilMs - nowMs()) / 1000)),
    countWrong() {
      wrong++
      if (wrong % 3 === 0) blockedUntilMs = nowMs() + Math.min(firstPauseMs * 2 ** (wrong / 3 - 1), longestPauseMs)
    },
    reset: () => void (wrong = 0),
  })
}

const firstPauseMs = 30_000
const longestPauseMs = 15 * 60_000
