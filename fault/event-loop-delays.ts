import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import { delaysFileVariable, type EventLoopDelays } from './measured-delays.ts'
import type { RunningService } from './spawn.ts'

/** What a start needs so that its event loop is measured: `file` gets the delays. */
export function eventLoopMeasurement(file: string): { readonly imports: readonly URL[]; readonly env: Readonly<Record<string, string>> } {
  return { imports: [new URL('./measure-event-loop.ts', import.meta.url)], env: { [delaysFileVariable]: file } }
}

/** Reads the delays since the last reading from the preloaded measurement. */
export async function readEventLoopDelays({ pid }: Pick<RunningService, 'pid'>, file: string): Promise<EventLoopDelays> {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let waited = 0; waited < 100; waited++) {
    await pause(20)
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as EventLoopDelays
    } catch {
      // Not written yet.
    }
  }
  throw new Error('the measurement in the service did not reply')
}

/** Blocks the event loop for `plantedStallMs` of CPU time, so that a measurement can show that it sees that. */
export async function plantStall({ pid }: Pick<RunningService, 'pid'>): Promise<void> {
  process.kill(pid, 'SIGWINCH')
  await pause(1000)
}
