import type { AuditHead } from '../../store/audit.ts'

import type { ServiceChanges } from './service-changes.ts'

/** What an application is told that is a worker beside the first one: it answers calls, and does nothing that the service does once. */
export interface WorkerRole {
  /** Where it listens, as the others do. */
  readonly address: { readonly host: string; readonly port: number }
  readonly changes: ServiceChanges
  /** What waits for the store, of all workers, and where this one counts. */
  readonly waitingWrites: { readonly memory: SharedArrayBuffer; readonly worker: number }
  /** Tells the first worker the ends of the audit chains that this one writes. */
  sendAuditHeads(heads: readonly AuditHead[]): void
}

/** The workers that an application starts beside itself. */
export interface WorkerCount {
  /** Without the first one. */
  readonly count: number
  /** Writes finished lines of their logs. */
  readonly writeLog: (lines: string) => void
  /** The module of their threads: request-worker.ts. */
  readonly program: URL
}
