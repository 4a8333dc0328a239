import type { Clock } from '../../clock.ts'

/** Moves the time of a sandbox forward: codes, tokens, form sessions and holds expire as if the time had passed. */
export interface ClockAdjuster {
  /** The offset from the machine's clock, milliseconds. */
  offsetMs(): number
  /** `offsetMs` is between 0 (the machine's time) and `maxOffsetMs`. */
  moveTo(offsetMs: number): void
}

/** A little more than a year. */
export const maxOffsetMs = 400 * 86_400_000

/**
 * A clock ahead of the machine's. Without an offset it behaves exactly like the machine's clock. Moving forward moves the wall clock and the
 * monotonic clock, so that lifetimes measured on both expire. Moving back moves only the wall clock, as when an administrator sets it.
 * The duration of sleeps does not change.
 */
export function makeAdjustableClock(machine: Clock): { readonly clock: Clock; readonly mover: ClockAdjuster } {
  let offset = 0
  let ahead = 0
  // Two processes of one boot with different offsets do not share a monotonic clock.
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
  const mover: ClockAdjuster = Object.freeze({
    offsetMs: () => offset,
    moveTo(offsetMs: number) {
      if (!Number.isInteger(offsetMs) || offsetMs < 0 || offsetMs > maxOffsetMs) throw new RangeError('an offset is from 0 to 400 days')
      ahead += Math.max(0, offsetMs - offset)
      offset = offsetMs
    },
  })
  return Object.freeze({ clock, mover })
}
