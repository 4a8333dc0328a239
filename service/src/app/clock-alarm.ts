import type { ClockRefusal } from '../domain/clock-guard.ts'
import type { Log } from '../ops/logging/log.ts'

/** Reports that the machine's clock is not trusted. */
export function makeClockAlarm(log: Pick<Log, 'error'>): (refusal: ClockRefusal) => void {
  return ({ reason, byMs }) => log.error('clock_refused', { reason, seconds: Math.round(byMs / 1000) })
}
