import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import type { Clock } from './clock.ts'

/** The machine's own clocks. `monotonicMs` is CLOCK_MONOTONIC, so that two services on one machine agree, within one boot. */
export function makeSystemClock(): Clock {
  const bootId = readBootId()
  return Object.freeze({
    now: () => Date.now(),
    moment: () => ({ wallMs: Date.now(), monotonicMs: Number(process.hrtime.bigint() / 1_000_000n), bootId }),
    sleep: async (ms: number, signal: AbortSignal) => {
      await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
    },
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
