import type { Clock } from '../clock.ts'

/** Moves the time of a sandbox: codes, tokens, form sessions and holds end as if it had passed. */
export interface TimeMover {
  /** How far ahead of the machine's clock it is, in milliseconds. */
  offsetMs(): number
  /** From 0, which is the machine's time, to `offsetMaxMs`. */
  moveTo(offsetMs: number): void
}

/** A little more than a year. */
export const offsetMaxMs = 400 * 86_400_000

/**
 * A clock that stands ahead of the machine's. What was never moved is the machine's own, word for word. Going forward both clocks go, so that a
 * life that is measured on both ends as it would; going back the wall clock alone goes, as when somebody sets it, and the other one never does.
 * Sleeping takes as long as ever.
 */
export function makeMovedClock(machine: Clock): { readonly clock: Clock; readonly mover: TimeMover } {
  let offset = 0
  let ahead = 0
  // Two processes of one boot, moved by different spans, have no monotonic clock in common.
  const mark = `${String(machine.now())}.${String(machine.moment().monotonicMs)}`
  const clock: Clock = Object.freeze({
    now: () => machine.now() + offset,
    moment: () => {
      const moment = machine.moment()
      if (ahead === 0) return moment
      const { wallMs, monotonicMs, bootId } = moment
      return { wallMs: wallMs + offset, monotonicMs: monotonicMs + ahead, bootId: `${bootId}~${mark}` }
    },
    sleep: (ms: number, signal: AbortSignal) => machine.sleep(ms, signal),
  })
  const mover: TimeMover = Object.freeze({
    offsetMs: () => offset,
    moveTo(offsetMs: number) {
      if (!Number.isInteger(offsetMs) || offsetMs < 0 || offsetMs > offsetMaxMs) throw new RangeError('an offset is from 0 to 400 days')
      ahead += Math.max(0, offsetMs - offset)
      offset = offsetMs
    },
  })
  return Object.freeze({ clock, mover })
}
