/** At most `count` events in any period of `ms`. */
export interface Window {
  readonly count: number
  readonly ms: number
}

/** Counts of many subjects over sliding windows, in memory of bounded size. */
export interface SlidingCounts {
  /** Milliseconds until one more is within the limit of every window; 0: now. */
  waitMs(subject: string, windows: readonly Window[]): number
  /** Default: once. */
  count(subject: string, windows: readonly Window[], times?: number): void
}

/**
 * A window is divided into slices with a count each, so that a busy subject takes no more memory than a quiet one. A slice that is only partly inside the
 * window counts in full: the limit is never exceeded, and a wait is at most a twelfth of the window too long.
 */
export function makeSlidingCounts({ now, maxSubjects }: { now: () => number; maxSubjects: number }): SlidingCounts {
  const subjects = new Map<string, Slices[]>()

  function slicesOf(subject: string, windows: readonly Window[]): Slices[] {
    const slices = subjects.get(subject)
    if (slices !== undefined) return slices
    if (subjects.size >= maxSubjects) deleteOldest(subjects)
    const fresh = windows.map((window) => new Slices(window))
    subjects.set(subject, fresh)
    return fresh
  }

  return Object.freeze({
    waitMs: (subject: string, windows: readonly Window[]) => {
      const slices = subjects.get(subject)
      if (slices === undefined) return windows.some(({ count }) => count === 0) ? Infinity : 0
      return Math.max(0, ...slices.map((each) => each.waitMs(now())))
    },
    count: (subject: string, windows: readonly Window[], times = 1) => {
      for (const slices of slicesOf(subject, windows)) slices.count(now(), times)
    },
  })
}

/** One window of one subject: a ring of counts by slice. */
class Slices {
  readonly #window: Window
  readonly #counts = new Uint32Array(slicesInRing)
  /** Number of the newest slice, from time zero of the clock. */
  #newest = 0

  constructor(window: Window) {
    this.#window = window
  }

  count(at: number, times: number): void {
    this.#advanceTo(this.#sliceAt(at))
    this.#counts[this.#newest % slicesInRing] = this.#countOf(this.#newest) + times
  }

  waitMs(at: number): number {
    const current = this.#sliceAt(at)
    this.#advanceTo(current)
    let sum = 0
    for (const count of this.#counts) sum += count
    // The oldest slices expire first; the wait ends when enough of them have.
    for (let slice = current - slicesInRing + 1; slice <= current; slice++) {
      if (sum < this.#window.count) return Math.max(0, this.#expiresAt(slice - 1) - at)
      sum -= this.#countOf(slice)
    }
    return this.#expiresAt(current) - at
  }

  #advanceTo(slice: number): void {
    const from = Math.max(this.#newest + 1, slice - slicesInRing + 1)
    for (let passed = from; passed <= slice; passed++) this.#counts[passed % slicesInRing] = 0
    this.#newest = Math.max(this.#newest, slice)
  }

  #sliceAt(at: number): number {
    return Math.floor((at * slicesInWindow) / this.#window.ms)
  }

  /** When a slice is entirely outside the window. */
  #expiresAt(slice: number): number {
    return ((slice + slicesInRing) * this.#window.ms) / slicesInWindow
  }

  #countOf(slice: number): number {
    return this.#counts[slice % slicesInRing] ?? 0
  }
}

function deleteOldest(subjects: Map<string, unknown>): void {
  for (const subject of subjects.keys()) {
    subjects.delete(subject)
    return
  }
}

const slicesInWindow = 12
/** One more than in a window, which usually covers two slices partly. */
const slicesInRing = slicesInWindow + 1
