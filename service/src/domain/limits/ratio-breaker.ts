/** A circuit breaker per subject: opens for some time when too large a share of the recent attempts failed. */
export interface RatioBreaker {
  /** Milliseconds until the breaker closes; 0: it is closed. */
  waitMs(subject: string): number
  /** Counts one attempt. */
  count(subject: string, isFailure: boolean): void
  /** Records that an attempt of `agoMs` ago, counted as a failure, has succeeded. */
  markSucceeded(subject: string, agoMs: number): void
}

export interface RatioBreakerSettings {
  /** The window of attempts that count. */
  readonly windowMs: number
  /** Younger attempts do not count yet: they may still succeed. */
  readonly minAgeMs: number
  /** With fewer attempts in the window the breaker stays closed. */
  readonly minCount: number
  /** 1 to 100: the breaker opens when a larger share failed. */
  readonly maxFailurePercent: number
  /** How long it stays open. Counting then starts again. */
  readonly openForMs: number
}

export interface RatioBreakerOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: RatioBreakerSettings
  /** Beyond this many subjects the one seen first is dropped. */
  readonly maxSubjects: number
}

/** Counts in slices of a twelfth of the window, so that a busy subject takes no more memory than a quiet one. */
export function makeRatioBreaker({ now, settings, maxSubjects }: RatioBreakerOptions): RatioBreaker {
  const subjects = new Map<string, BreakerSubject>()
  const sliceMs = settings.windowMs / slicesInWindow

  return Object.freeze({
    waitMs: (subject: string) => {
      const state = subjects.get(subject)
      if (state === undefined) return 0
      if (state.openUntil > now()) return state.openUntil - now()
      if (!exceedsRatio(state)) return 0
      subjects.delete(subject)
      find(subject).openUntil = now() + settings.openForMs
      return settings.openForMs
    },
    count: (subject: string, isFailure: boolean) => {
      const slice = sliceOf(find(subject), now())
      slice.all++
      if (isFailure) slice.failures++
    },
    markSucceeded: (subject: string, agoMs: number) => {
      const number = Math.floor((now() - agoMs) / sliceMs)
      const slice = subjects.get(subject)?.slices.find((each) => each.number === number)
      if (slice !== undefined && slice.failures > 0) slice.failures--
    },
  })

  function exceedsRatio({ slices }: BreakerSubject): boolean {
    const [from, to] = [now() - settings.windowMs, now() - settings.minAgeMs]
    let [all, failures] = [0, 0]
    for (const slice of slices) {
      const endsAt = (slice.number + 1) * sliceMs
      // Without a minimum age the current slice counts as well.
      if (endsAt <= from || (settings.minAgeMs > 0 && endsAt > to)) continue
      all += slice.all
      failures += slice.failures
    }
    return all >= settings.minCount && failures * 100 > all * settings.maxFailurePercent
  }

  function find(subject: string): BreakerSubject {
    const existing = subjects.get(subject)
    if (existing !== undefined) return existing
    if (subjects.size >= maxSubjects) subjects.delete(subjects.keys().next().value ?? '')
    const fresh: BreakerSubject = { slices: [], openUntil: 0 }
    subjects.set(subject, fresh)
    return fresh
  }

  function sliceOf({ slices }: BreakerSubject, at: number): Slice {
    const number = Math.floor(at / sliceMs)
    const last = slices.at(-1)
    if (last?.number === number) return last
    const fresh: Slice = { number, all: 0, failures: 0 }
    slices.push(fresh)
    if (slices.length > slicesInWindow + 1) slices.shift()
    return fresh
  }
}

interface BreakerSubject {
  /** Oldest first. */
  readonly slices: Slice[]
  openUntil: number
}

interface Slice {
  readonly number: number
  all: number
  failures: number
}

const slicesInWindow = 12
