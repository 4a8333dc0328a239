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
    now: systemNow,
    moment,
    momentSinceBoot: isOfMachine ? makeMomentSinceBoot(moment, uptimeSeconds, `${bootId} with suspensions`) : moment,
    sleep,
  })
}

/** Unix milliseconds of the machine. Only for what says the machine's time whatever clock the service has been given, such as the header Date. */
export function systemNow(): number {
  return Date.now()
}

/**
 * CLOCK_MONOTONIC and how long the machine was suspended, which only the uptime says. Node reads it from a file (9 µs, up to five times a cards.create), so
 * it is read once a second, and whenever wall clock and CLOCK_MONOTONIC have moved apart, as they do by a suspension and by a jump.
 */
function makeMomentSinceBoot(moment: () => ClockReading, uptimeSeconds: () => number, bootId: string): () => ClockReading {
  let read: ClockReading | null = null
  let suspendedMs = -Infinity
  return () => {
    const now = moment()
    const { wallMs, monotonicMs } = now
    const isKnown =
      read !== null &&
      monotonicMs - read.monotonicMs < uptimeKnownMs &&
      Math.abs(wallMs - read.wallMs - (monotonicMs - read.monotonicMs)) <= clocksApartMs
    if (!isKnown) {
      // The uptime is cut to hundredths of a second, so that the largest difference is the nearest to the truth.
      suspendedMs = Math.max(suspendedMs, Math.round(uptimeSeconds() * 1000) - monotonicMs)
      read = now
    }
    return { wallMs, monotonicMs: monotonicMs + suspendedMs, bootId }
  }
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
const uptimeKnownMs = 1000
/** Both are rounded to milliseconds; a network time service moves the wall clock by half a millisecond a second. */
const clocksApartMs = 3
