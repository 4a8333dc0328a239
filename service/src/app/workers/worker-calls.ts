import type { MessagePort } from 'node:worker_threads'

import type { OpenShareSet } from '../../domain/custody/open-share-set.ts'
import type { SlowHashOrder } from '../../domain/users/slow-hash.ts'
import type { Config } from '../../ops/config/config.ts'
import type { CoreDumps } from '../../ops/core-dumps.ts'
import type { Exit } from '../../ops/exits.ts'
import type { MetricFamily } from '../../ops/metrics/metric.ts'
import type { AuditHead } from '../../store/audit.ts'
import type { RequestSegment, SegmentDeletion } from '../../store/request-segments.ts'
import type { Row, Statement, Value } from '../../store/statement.ts'

import type { AwayPart } from '../lifecycle.ts'

import type { ServiceChange } from './service-changes.ts'

// What the first worker, in the main thread, and the others say to each other.

/** What the thread of a worker is started with. */
export interface WorkerStart {
  /** From 2: the first worker is the main thread. */
  readonly number: number
  /** With this worker's share of what the settings allow the service (`shareOf`). */
  readonly config: Config
  readonly address: { readonly host: string; readonly port: number }
  /** How many writes of each worker wait for the store (`allocateWaitingWrites`). */
  readonly waitingWrites: SharedArrayBuffer
  /** Where it records what it has seen. */
  readonly folder: string
  readonly adminUrl: string
  readonly coreDumps: CoreDumps
  /** The certificate of the listener that the first worker uses, PEM: the files may be others by now, which are taken by SIGHUP only. Null: plain http. */
  readonly tls: { readonly certificate: Uint8Array; readonly key: Uint8Array } | null
  /** Of the embedded store; null on PostgreSQL. */
  readonly database: { readonly path: string; readonly writerPort: MessagePort; readonly requestLogPath: string | null } | null
  /** The KEKs that custodians have opened. */
  readonly openSets: readonly OpenShareSet[]
  /** What other workers have changed in memory before this one was started. */
  readonly changes: readonly ServiceChange[]
}

/** What the first worker handles for the others. */
export type CallsToFirst = {
  /** It listens. */
  ready: { input: null; result: void }
  log: { input: string; result: void }
  change: { input: ServiceChange; result: void }
  endNow: { input: { readonly exit: Exit; readonly event: string; readonly err: unknown }; result: void }
  auditHeads: { input: readonly AuditHead[]; result: void }
  slowHash: { input: SlowHashOrder; result: Uint8Array }
  tryLock: { input: string; result: boolean }
  releaseLock: { input: string; result: void }
  isLocked: { input: string; result: boolean }
  appendRequests: { input: readonly RequestSegment[]; result: void }
  readRequests: { input: { readonly statement: Statement; readonly values: readonly Value[] }; result: readonly Row[] }
  deleteRequests: { input: SegmentDeletion; result: number }
}

/** What each other worker handles for the first. */
export type CallsToWorker = {
  /** Whether its event loop turns. */
  ping: { input: null; result: null }
  readiness: { input: null; result: WorkerReadiness }
  collectMetrics: { input: null; result: readonly MetricFamily[] }
  change: { input: ServiceChange; result: void }
  shareKeks: { input: readonly OpenShareSet[]; result: void }
  /** Reads the certificate of the listener again. */
  reload: { input: null; result: void }
  /** Completes the calls in progress and closes everything, by this signal. Returns how many were cut off. */
  stop: { input: string; result: number }
}

export interface WorkerReadiness {
  readonly isReady: boolean
  readonly state: string
  readonly reason: string | null
  /** What calls to it miss while it is ready. */
  readonly away: readonly AwayPart[]
  readonly inFlight: number
}
