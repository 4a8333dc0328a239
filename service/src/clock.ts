import type { ClockReading } from './store/verifications.ts'

/** Time as the service knows it; handed in from `main.ts`, so that tests own it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  moment(): ClockReading
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. Holds nothing but a timer. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
