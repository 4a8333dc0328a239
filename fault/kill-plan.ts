import { setTimeout as pause } from 'node:timers/promises'
import type { RunningService } from './spawn.ts'

/** How often a service is killed, and which fault is planted in it. */
export interface KillPlan {
  /** How often it is killed. */
  readonly cycles: number
  /**
   * The limit of a control: while nothing is found, the kills go on up to this number. Whether a kill hits the planted fault depends on its moment,
   * and a slow machine has few calls in progress at a time. Default: `cycles`.
   */
  readonly maxCycles?: number
  /** Modules that plant the fault. */
  readonly imports?: readonly URL[]
  /** Threads that answer calls. Default: as the settings say, one. */
  readonly workers?: number
}

/** The acknowledgements that a run needs at least. Fewer prove nothing, however slow the machine. */
export function minAcknowledged({ cycles }: KillPlan): number {
  return cycles * acknowledgedPerCycle
}

/** Waits until enough was acknowledged, for a minute at most and while the service runs. */
export async function untilAcknowledged(least: number, count: () => number, { ended }: RunningService): Promise<void> {
  const until = performance.now() + waitMsMax
  const over = new AbortController()
  void ended.then(() => over.abort())
  while (count() < least && !over.signal.aborted && performance.now() < until) await pause(10)
}

const acknowledgedPerCycle = 5
const waitMsMax = 60_000
