import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { liveMemoryVariable } from './doubles/report-live-memory.ts'

/** What is left of a service's memory after a full collection: what it holds, without garbage that was not yet collected. */
export interface LiveMemory {
  /** To load before the service, with the variables in `env`. */
  readonly module: URL
  readonly env: Readonly<Record<string, string>>
  /** Collects, which stops the main thread for some 50 ms, and returns MiB: the heap and buffers outside of it, of the main thread. */
  read(pid: number): Promise<number>
}

export function openLiveMemory(folder: string): LiveMemory {
  const file = join(folder, 'live-memory')
  return {
    module: new URL('./doubles/report-live-memory.ts', import.meta.url),
    env: { [liveMemoryVariable]: file },
    async read(pid) {
      rmSync(file, { force: true })
      process.kill(pid, 'SIGUSR2')
      for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += 20) {
        const bytes = readBytes(file)
        if (bytes !== null) return bytes / 2 ** 20
        await pause(20)
      }
      throw new Error(`the service did not report its memory within ${maxWaitMs / 1000} s`)
    },
  }
}

function readBytes(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

const maxWaitMs = 20_000
