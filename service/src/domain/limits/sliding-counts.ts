/** At most `count` in any period of `ms`. */
export interface Window {
  readonly count: number
  readonly ms: number
}

/** Counts of many subjects over sliding windows, in memory of bounded size. */
export interface SlidingCounts {
  /** How long until one more fits into every window, in milliseconds; 0: now. */
  waitMs(subject: string, windows: readonly Window[]): number
  count(subject: string, windows: readonly Window[]): void
}

/**
 * A window is cut into slices and a count is kept for each, so a busy subject costs no more memory than a quiet one. The slice that is only
 * partly inside the window counts whole: a limit is never exceeded, and a wait is at most a twelfth of the window too long.
 */
export function makeSlidingCounts({ now, subjectsMax }: { now: () => number; subjectsMax: number }): SlidingCounts {
  const subjects = new Map<string, Slices[]>()

  function slicesOf(subject: string, windows: readonly Window[]): Slices[] {
    const kept = subjects.get(subject)
    if (kept !== undefined) return kept
    if (subjects.size >= subjectsMax) forgetOldest(subjects)
    const fresh = windows.map((window) => new Slices(window))
    subjects.set(subject, fresh)
    return fresh
  }

  return Object.freeze({
    waitMs: (subject: string, windows: readonly Window[]) => {
      const kept = subjects.get(subject)
      if (kept === undefined) return windows.some(({ count }) => count === 0) ? Infinity : 0
      return Math.max(0, ...kept.map((slices) => slices.waitMs(now())))
    },
    count: (subject: string, windows: readonly Window[]) => {
      for (const slices of slicesOf(subject, windows)) slices.count(now())
    },
  })
}

/** One window of one subject: a ring of counts by slice. */
class Slices {
  readonly #window: Window
  readonly #counts = new Uint32Array(slicesInRing)
  /** The slice that was counted in last, numbered from the clock's zero. */
  #newest = 0

  constructor(window: Window) {
    this.#window = window
  }

  count(at: number): void {
    this.#turnTo(this.#sliceAt(at))
    this.#counts[this.#newest % slicesInRing] = this.#countOf(this.#newest) + 1
  }

  waitMs(at: number): number {
    const current = this.#sliceAt(at)
    this.#turnTo(current)
    let sum = 0
    for (const count of this.#counts) sum += count
    // The oldest slices leave first; the wait ends when enough of them have.
    for (let slice = current - slicesInRing + 1; slice <= current; slice++) {
      if (sum < this.#window.count) return Math.max(0, this.#leavesAt(slice - 1) - at)
      sum -= this.#countOf(slice)
    }
    return this.#leavesAt(current) - at
  }

  #turnTo(slice: number): void {
    const from = Math.max(this.#newest + 1, slice - slicesInRing + 1)
    for (let passed = from; passed <= slice; passed++) this.#counts[passed % slicesInRing] = 0
    this.#newest = Math.max(this.#newest, slice)
  }

  #sliceAt(at: number): number {
    return Math.floor((at * slicesInWindow) / this.#window.ms)
  }

  /** When a slice is wholly outside the window. */
  #leavesAt(slice: number): number {
    return ((slice + slicesInRing) * this.#window.ms) / slicesInWindow
  }

  #countOf(slice: number): number {
    return this.#counts[slice % slicesInRing] ?? 0
  }
}

function forgetOldest(subjects: Map<string, unknown>): void {
  for (const subject of subjects.keys()) {
    subjects.delete(subject)
    return
  }
}

const slicesInWindow = 12
/** One more than fit into a window: at most moments it covers two slices partly. */
const slicesInRing = slicesInWindow + 1
