import { availableParallelism } from 'node:os'

import type { Setting } from './values.ts'

/** On how many processors calls are answered. */
export const workerSettings = [
  {
    name: 'workers',
    env: 'TESSERA_WORKERS',
    flag: '--workers',
    type: 'integer',
    from: 1,
    to: 64,
    default: null,
    meaning:
      'Threads that answer calls, all on the same port. By default 1 in test; in production one for each processor, 8 at most, and 1 on systems that cannot share a port and where an SMS gateway or a card network is reached by sessions that each worker would open (smpp, iso8583).',
    source: 'the thread that commits on the embedded store, or PostgreSQL, needs processors too',
  },
] as const satisfies readonly Setting[]

/** What decides about the number of workers. */
export interface WorkerChoice {
  readonly workers: number | null
  readonly environment: 'test' | 'production'
}

/** The platforms on which several sockets can listen on one port and the kernel shares connections among them. */
export function canSharePort(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux' || platform === 'freebsd'
}

/** How many threads answer calls. `hasSessions`: an adapter keeps sessions with an outside system. */
export function countWorkers({ workers, environment }: WorkerChoice, hasSessions: boolean, processors = availableParallelism()): number {
  if (workers !== null) return workers
  if (environment === 'test' || hasSessions || !canSharePort()) return 1
  return Math.min(processors, defaultWorkersMax)
}

const defaultWorkersMax = 8
