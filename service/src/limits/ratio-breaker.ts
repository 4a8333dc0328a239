/** Opens for a while when too large a share of what a subject did lately went badly. */
export interface RatioBreaker {
  /** How long until the subject may go on, in milliseconds; 0: now. */
  waitMs(subject: string): number
  /** Counts one deed, good or bad. */
  count(subject: string, isBad: boolean): void
  /** Takes one bad deed of so long ago for a good one. */
  redeem(subject: string, agoMs: number): void
}

export interface RatioFigures {
  /** What is looked at: deeds of the last so many milliseconds. */
  readonly spanMs: number
  /** Deeds younger than this are not judged yet: they may still turn out well. */
  readonly youngMs: number
  /** Fewer deeds than this say nothing. */
  readonly leastCount: number
  /** 1 to 100: with a larger share of bad deeds it opens. */
  readonly badPercentMax: number
  /** For so long it stays open; then it forgets, and counts anew. */
  readonly pauseMs: number
}

export interface RatioParts {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  readonly figures: RatioFigures
  /** Beyond it the subject that was first seen is forgotten. */
  readonly subjectsMax: number
}

/** Counts by slices of a twelfth of the span, so a busy subject costs no more memory than a quiet one. */
export function makeRatioBreaker({ now, figures, subjectsMax }: RatioParts): RatioBreaker {
  const subjects = new Map<string, Deeds>()
  const sliceMs = figures.spanMs / slicesInSpan

  return Object.freeze({
    waitMs: (subject: string) => {
      const deeds = subjects.get(subject)
      if (deeds === undefined) return 0
      if (deeds.openUntil > now()) return deeds.openUntil - now()
      if (!isBad(deeds)) return 0
      subjects.delete(subject)
      find(subject).openUntil = now() + figures.pauseMs
      return figures.pauseMs
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

  function isBad({ slices }: Deeds): boolean {
    const [from, to] = [now() - figures.spanMs, now() - figures.youngMs]
    let [all, bad] = [0, 0]
    for (const slice of slices) {
      const endsAt = (slice.number + 1) * sliceMs
      // With no age to wait for, the slice of now counts as well.
      if (endsAt <= from || (figures.youngMs > 0 && endsAt > to)) continue
      all += slice.all
      bad += slice.bad
    }
    return all >= figures.leastCount && bad * 100 > all * figures.badPercentMax
  }

  function find(subject: string): Deeds {
    const kept = subjects.get(subject)
    if (kept !== undefined) return kept
    if (subjects.size >= subjectsMax) subjects.delete(subjects.keys().next().value ?? '')
    const fresh: Deeds = { slices: [], openUntil: 0 }
    subjects.set(subject, fresh)
    return fresh
  }

  function sliceOf({ slices }: Deeds, at: number): Slice {
    const number = Math.floor(at / sliceMs)
    const last = slices.at(-1)
    if (last?.number === number) return last
    const fresh: Slice = { number, all: 0, bad: 0 }
    slices.push(fresh)
    if (slices.length > slicesInSpan + 1) slices.shift()
    return fresh
  }
}

interface Deeds {
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
