import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { CoreDumps } from './core-dumps.ts'
import type { Exit } from '../exits.ts'
import type { Log } from '../observe/log.ts'

/** What the program hands to a service that starts. */
export interface StartParts {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly coreDumps: CoreDumps
  /** Aborted when the service is to stop; a start that is under way then gives up. */
  readonly stopping: AbortSignal
  /** Ends the whole program at once. */
  readonly endNow: (exit: Exit, event: string, err: unknown) => never
}
