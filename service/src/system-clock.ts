import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { Clock } from './clock.ts'

/** The machine's clocks. `monotonicMs` is CLOCK_MONOTONIC, so that two services on one machine agree, within one boot. */
export function makeSystemClock(): Clock {
  const bootId = readBootId()
  return Object.freeze({
    now: () => Date.now(),
    moment: () => ({ wallMs: Date.now(), monotonicMs: Number(process.hrtime.bigint() / 1_000_000n), bootId }),
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
