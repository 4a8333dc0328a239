import type { Demo } from '../adapters/sandbox/sandbox.ts'
import type { Config } from '../ops/config/config.ts'
import type { CoreDumps } from '../ops/core-dumps.ts'
import type { Store } from '../store/store.ts'

/** Details of a running service. Nothing here is secret: the demo password is public. */
export interface RunningInfo {
  readonly version: string
  readonly environment: Config['environment']
  readonly pid: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly url: string
  readonly adminUrl: string
  readonly folder: string
  readonly store: 'sqlite' | 'postgres'
  readonly durability: Store['durability']
  /** The kind of key that wraps the data keys. */
  readonly kek: string
  readonly coreDumps: CoreDumps
  /** Null outside the test environment. */
  readonly demo: Demo | null
}

/** How far a service has come: read by the health endpoints and by `tessera status`, written by the application alone. */
export interface Lifecycle {
  state: 'starting' | 'ready' | 'draining'
  info: RunningInfo | null
  store: Store | null
  /** Requests in progress. */
  inFlight: () => number
  /** Requests that the request log dropped because it was full. */
  unrecorded: () => number
}

export function createLifecycle(): Lifecycle {
  return { state: 'starting', info: null, store: null, inFlight: () => 0, unrecorded: () => 0 }
}

/** The response of /readyz and `tessera status`. */
export interface Readiness {
  readonly ready: boolean
  /** `ready`, `starting`, `draining` or `store_unavailable`. */
  readonly state: string
  readonly [detail: string]: unknown
}

/** Whether the service is ready: started, not draining, and its store responds. */
export async function readReadiness({ state, info, store, inFlight }: Lifecycle): Promise<Readiness> {
  if (info === null || store === null) return { ready: false, state }
  const { demo: _demo, folder: _folder, ...shown } = info
  const now = state === 'ready' && !(await isAnswering(store)) ? 'store_unavailable' : state
  return { ready: now === 'ready', state: now, ...shown, durability: store.durability, inFlight: inFlight() }
}

async function isAnswering(store: Store): Promise<boolean> {
  try {
    await store.ping()
    return true
  } catch {
    return false
  }
}

/** Opened resources. They are closed in reverse order, all of them even if one fails to close. */
export interface Resources {
  add(close: () => unknown): void
  /** Closes everything, once. */
  closeAll(): Promise<void>
}

export function createResources(onCloseFailed: (err: unknown) => void): Resources {
  const closers: (() => unknown)[] = []
  return Object.freeze({
    add: (close: () => unknown) => void closers.push(close),
    async closeAll() {
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        try {
          await close()
        } catch (err) {
          onCloseFailed(err)
        }
      }
    },
  })
}
