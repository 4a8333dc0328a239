/** Opens for a while when too large a share of a subject's recent attempts failed. */
export interface RatioBreaker {
  /** How long until the subject may go on, in milliseconds; 0: now. */
  waitMs(subject: string): number
  /** Counts one attempt. */
  count(subject: string, isBad: boolean): void
  /** Turns one failure of `agoMs` ago into a success. */
  redeem(subject: string, agoMs: number): void
}

export interface RatioBreakerSettings {
  /** Attempts of the last so many milliseconds are judged. */
  readonly spanMs: number
  /** Younger attempts are not judged yet: they may still succeed. */
  readonly youngMs: number
  /** Fewer attempts are not judged. */
  readonly leastCount: number
  /** 1 to 100: with a larger share of failures it opens. */
  readonly badPercentMax: number
  /** How long it stays open; then counting starts again. */
  readonly pauseMs: number
}

export interface RatioBreakerOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: RatioBreakerSettings
  /** With more subjects the one first seen is forgotten. */
  readonly subjectsMax: number
}

/** Counts by slices of a twelfth of the span, so a busy subject costs no more memory than a quiet one. */
export function makeRatioBreaker({ now, settings, subjectsMax }: RatioBreakerOptions): RatioBreaker {
  const subjects = new Map<string, BreakerSubject>()
  const sliceMs = settings.spanMs / slicesInSpan

  return Object.freeze({
    waitMs: (subject: string) => {
      const deeds = subjects.get(subject)
      if (deeds === undefined) return 0
      if (deeds.openUntil > now()) return deeds.openUntil - now()
      if (!isBad(deeds)) return 0
      subjects.delete(subject)
      find(subject).openUntil = now() + settings.pauseMs
      return settings.pauseMs
    },
    count: (subject: string, isBadDeed: boolean) => {
      const slice = sliceOf(find(subject), now())
      slice.all++
      if (isBadDeed) slice.bad++
    },
    redeem: (subject: string, agoMs: number) => {
      const number = Math.floor((now() - agoMs) / sliceMs)
      const slice = subjects.get(subject)?.slices.find((each) => each.number === number)
      if (slice !== undefined && slice.bad > 0) slice.bad--
    },
  })

  function isBad({ slices }: BreakerSubject): boolean {
    const [from, to] = [now() - settings.spanMs, now() - settings.youngMs]
    let [all, bad] = [0, 0]
    for (const slice of slices) {
      const endsAt = (slice.number + 1) * sliceMs
      // Without a minimum age the current slice counts as well.
      if (endsAt <= from || (settings.youngMs > 0 && endsAt > to)) continue
      all += slice.all
      bad += slice.bad
    }
    return all >= settings.leastCount && bad * 100 > all * settings.badPercentMax
  }

  function find(subject: string): BreakerSubject {
    const kept = subjects.get(subject)
    if (kept !== undefined) return kept
    if (subjects.size >= subjectsMax) subjects.delete(subjects.keys().next().value ?? '')
    const fresh: BreakerSubject = { slices: [], openUntil: 0 }
    subjects.set(subject, fresh)
    return fresh
  }

  function sliceOf({ slices }: BreakerSubject, at: number): Slice {
    const number = Math.floor(at / sliceMs)
    const last = slices.at(-1)
    if (last?.number === number) return last
    const fresh: Slice = { number, all: 0, bad: 0 }
    slices.push(fresh)
    if (slices.length > slicesInSpan + 1) slices.shift()
    return fresh
  }
}

interface BreakerSubject {
  /** The oldest first. */
  readonly slices: Slice[]
  openUntil: number
}

interface Slice {
  readonly number: number
  all: number
  bad: number
}

const slicesInSpan = 12
