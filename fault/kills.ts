import { setTimeout as pause } from 'node:timers/promises'
import type { Running } from './spawn.ts'

/** How a service is killed again and again, and how it was made wrong. */
export interface Kills {
  /** How often it is killed. */
  readonly cycles: number
  /**
   * A control's end: while nothing is found it is killed on, up to so often. What it has to find hangs on where a kill falls, and a slow machine
   * has few deeds under way at a time. Left out: not once more than `cycles`.
   */
  readonly cyclesMax?: number
  /** Modules that make it wrong. */
  readonly imports?: readonly URL[]
}

/** Deeds that a run has to have acknowledged: below that it was hardly a run, however slow the machine. */
export function acknowledgedLeast({ cycles }: Kills): number {
  return cycles * acknowledgedACycle
}

/** Goes on with a load until enough was acknowledged, a minute at most, or for as long as the service runs. */
export async function untilAcknowledged(least: number, count: () => number, { ended }: Running): Promise<void> {
  const until = performance.now() + waitMsMax
  const over = new AbortController()
  void ended.then(() => over.abort())
  while (count() < least && !over.signal.aborted && performance.now() < until) await pause(10)
}

const acknowledgedACycle = 5
const waitMsMax = 60_000
