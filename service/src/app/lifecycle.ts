import type { Demo } from '../adapters/sandbox/sandbox.ts'
import type { Config } from '../ops/config/config.ts'
import type { CoreDumps } from '../ops/core-dumps.ts'
import type { MetricFamily } from '../ops/metrics/metric.ts'
import type { DroppedCalls } from '../ops/request-log/request-buffer.ts'
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
  /** Threads that answer calls. */
  readonly workers: number
  /** Null outside the test environment. */
  readonly demo: Demo | null
}

/** How far a service has come: read by the health endpoints and by `tessera status`, written by the application alone. */
export interface Lifecycle {
  state: 'starting' | 'sealed' | 'ready' | 'lame_duck' | 'draining'
  info: RunningInfo | null
  store: Store | null
  /** What has to hold while the service is ready. */
  readinessChecks: readonly ReadinessCheck[]
  /** What some calls miss while the service is ready. */
  listAway: () => readonly AwayPart[]
  /** The shares that a sealed service has and needs, for people: `1 of 3 shares of the set 7K3MQ9TX`. */
  sealedBecause: () => string
  /** Requests in progress. */
  inFlight: () => number
  /** Those of other workers, when their readiness was read last. */
  inFlightElsewhere: () => number
  /** The metrics of other workers. */
  collectMetricsElsewhere: () => Promise<readonly (readonly MetricFamily[])[]>
  /** Bytes that are held for clients. */
  bufferedBytes: () => number
  /** Connections that are not read, because more arrives than the event loop can handle. */
  pausedConnections: () => number
  /** Requests that are not in the request log, by kind of caller and reason. */
  unrecorded: () => readonly DroppedCalls[]
}

export function createLifecycle(): Lifecycle {
  return {
    state: 'starting',
    info: null,
    store: null,
    readinessChecks: [],
    listAway: () => [],
    sealedBecause: () => '',
    inFlight: () => 0,
    inFlightElsewhere: () => 0,
    collectMetricsElsewhere: () => Promise.resolve([]),
    bufferedBytes: () => 0,
    pausedConnections: () => 0,
    unrecorded: () => [],
  }
}

/** A condition without which calls fail. */
export interface ReadinessCheck {
  /** The state of a service for which it does not hold: `store_unavailable`. */
  readonly state: string
  /** Rejects when it does not hold. */
  run(): Promise<void>
}

/** The parts that may be away while calls that do not need them succeed. */
export const awayPartNames = ['store', 'key_store', 'kek', 'network', 'sms', 'checkpoints', 'clock', 'workers'] as const

/** A part that does not work, and why. */
export interface AwayPart {
  readonly part: (typeof awayPartNames)[number]
  readonly reason: string
}

/** The response of /readyz and `tessera status`. */
export interface Readiness {
  readonly ready: boolean
  /** `ready`, `degraded`, `starting`, `sealed`, `lame_duck`, `draining`, or the state of the first readiness check that failed. */
  readonly state: string
  /** Why calls would fail; only then. */
  readonly reason?: string
  /** What is away; only while `degraded`. */
  readonly away?: readonly AwayPart[]
  readonly [detail: string]: unknown
}

/**
 * What is away for the first worker, and what only others miss: each has a connection of its own to what is outside, so that one alone may not reach it. A
 * part that the first one names is not named again.
 */
export function combineAway(own: readonly AwayPart[], others: readonly AwayPart[]): readonly AwayPart[] {
  const named = new Set(own.map(({ part }) => part))
  return [...own, ...others.filter(({ part }) => !named.has(part))]
}

/** Whether the service is ready: started, not draining, and what its calls need is there. */
export async function readReadiness({
  state,
  info,
  store,
  readinessChecks,
  listAway,
  inFlight,
  inFlightElsewhere,
  sealedBecause,
}: Lifecycle): Promise<Readiness> {
  if (state === 'sealed') return { ready: false, state, reason: sealedBecause() }
  if (info === null || store === null) return { ready: false, state }
  const { demo: _demo, folder: _folder, ...shown } = info
  const failed = state === 'ready' ? await findFailedCheck(readinessChecks) : null
  const details = { ...shown, durability: store.durability, inFlight: inFlight() + inFlightElsewhere() }
  if (failed !== null) return { ready: false, ...failed, ...details }
  const away = state === 'ready' ? listAway() : []
  return away.length > 0 ? { ready: true, state: 'degraded', away, ...details } : { ready: state === 'ready', state, ...details }
}

async function findFailedCheck(checks: readonly ReadinessCheck[]): Promise<{ state: string; reason: string } | null> {
  for (const { state, run } of checks) {
    try {
      await run()
    } catch (err) {
      return { state, reason: err instanceof Error ? err.message : String(err) }
    }
  }
  return null
}

/**
 * How long a stop still serves while load balancers move to another process. A stop from the terminal (SIGINT, SIGHUP) does not wait.
 * `signal` is the reason of the stop.
 */
export function lameDuckMs({ lameDuckSeconds, environment }: Pick<Config, 'lameDuckSeconds' | 'environment'>, signal: unknown): number {
  // A store that was moved accepts no more writes.
  if (signal === 'SIGINT' || signal === 'SIGHUP' || signal === 'store_moved') return 0
  return (lameDuckSeconds ?? (environment === 'production' ? 5 : 0)) * 1000
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
