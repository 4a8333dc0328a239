import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

import type { Clock, ClockReading } from './clock.ts'

/**
 * The machine's clocks. `monotonicMs` is CLOCK_MONOTONIC, so that two services on one machine agree, within one boot. `momentSinceBoot` has CLOCK_BOOTTIME
 * on Linux. `uptimeSeconds`: what reads it.
 */
export function makeSystemClock(uptimeSeconds: () => number = uptime): Clock & Required<Pick<Clock, 'momentSinceBoot'>> {
  const bootId = readBootId()
  const moment = (): ClockReading => ({ wallMs: Date.now(), monotonicMs: Number(process.hrtime.bigint() / 1_000_000n), bootId })
  // A container may show its own uptime, which is shorter than the time that the machine was awake.
  const isOfMachine = process.platform === 'linux' && uptimeSeconds() * 1000 >= moment().monotonicMs - uptimeToleranceMs
  return Object.freeze({
    now: () => Date.now(),
    moment,
    momentSinceBoot: isOfMachine
      ? () => ({ wallMs: Date.now(), monotonicMs: Math.round(uptimeSeconds() * 1000), bootId: `${bootId} with suspensions` })
      : moment,
    sleep,
  })
}

/** Not node:timers/promises, which creates an error for every aborted sleep (11 µs), and most sleeps are aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Linux names each boot; elsewhere the monotonic clock is comparable within this process only. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return randomUUID()
  }
}

/** The uptime has hundredths of a second. */
const uptimeToleranceMs = 1000
