import type { Config } from '../config/config.ts'
import type { CoreDumps } from './core-dumps.ts'
import type { Store } from '../store/store.ts'

/** What a running service is. Nothing here is secret but in name: the demo password is public. */
export interface RunningFacts {
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
  /** What kind of key locks the data keys. */
  readonly kek: string
  readonly coreDumps: CoreDumps
  /** Null outside the test environment. */
  readonly demo: Demo | null
}

export interface Demo {
  readonly merchantId: string
  readonly password: string
  readonly dashboardPhone: string
  readonly dashboardPassword: string
  readonly cardNumber: string
  readonly expiry: string
}

/** How far a service has come. Written by `main.ts` alone. */
export interface Life {
  state: 'starting' | 'ready' | 'draining'
  facts: RunningFacts | null
  store: Store | null
  /** Calls that are being answered. */
  inFlight: () => number
  /** Calls that the request log had no room for. */
  unrecorded: () => number
}

/** What /readyz and `tessera status` tell. */
export interface Readiness {
  readonly ready: boolean
  /** One word: `ready`, `starting`, `draining` or `store_unavailable`. */
  readonly state: string
  readonly [fact: string]: unknown
}

/** Whether work should be sent here: it has started, does not drain, and its store answers. */
export async function tellReadiness({ state, facts, store, inFlight }: Life): Promise<Readiness> {
  if (facts === null || store === null) return { ready: false, state }
  const { demo: _demo, folder: _folder, ...told } = facts
  const now = state === 'ready' && !(await answers(store)) ? 'store_unavailable' : state
  return { ready: now === 'ready', state: now, ...told, durability: store.durability, inFlight: inFlight() }
}

async function answers(store: Store): Promise<boolean> {
  try {
    await store.ping()
    return true
  } catch {
    return false
  }
}
