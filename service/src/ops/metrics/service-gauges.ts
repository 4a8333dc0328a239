import { statfs } from 'node:fs/promises'
import type { StatsFs } from 'node:fs'
import { findLastAction } from '../../store/audit.ts'
import { countWaitingDeliveries } from '../../store/delivery-claims.ts'
import type { ConnectionPool, Store } from '../../store/store.ts'
import type { Config } from '../config/config.ts'
import type { DroppedCalls } from '../request-log/request-buffer.ts'
import type { Log } from '../logging/log.ts'

import type { GaugeDefinition, GaugeSample } from './metric.ts'

/** What the gauges read of a service's lifecycle. */
export interface ObservedLifecycle {
  readonly state: string
  readonly store: Store | null
  readonly inFlight: () => number
  readonly bufferedBytes: () => number
  readonly pausedConnections: () => number
  readonly unrecorded: () => readonly DroppedCalls[]
}

export interface GaugeDependencies {
  /** As in /readyz. */
  readonly readiness: () => Promise<{ readonly ready: boolean; readonly away?: readonly { readonly part: string }[] }>
  /** The parts that may be away. */
  readonly partNames: readonly string[]
  readonly log: Log
  readonly version: string
  readonly config: Pick<Config, 'dataFolder' | 'databaseUrl' | 'storeMegabytesMax'>
}

/** The gauges of the service itself. */
export function serviceGauges(
  lifecycle: ObservedLifecycle,
  { readiness, partNames, log, version, config }: GaugeDependencies,
): GaugeDefinition[] {
  return [
    {
      name: 'tessera_build_info',
      help: 'Always 1; the version is a label.',
      read: () => [{ labels: { version }, value: 1 }],
    },
    { name: 'tessera_ready', help: '1 when requests may be sent here.', read: async () => ((await readiness()).ready ? 1 : 0) },
    {
      name: 'tessera_away',
      help: '1 for a part that does not work while the service is ready (degraded), by part.',
      read: async () => {
        const { away = [] } = await readiness()
        return partNames.map((part) => ({ labels: { part }, value: away.some((each) => each.part === part) ? 1 : 0 }))
      },
    },
    {
      name: 'tessera_store_writes_waiting',
      help: 'Writes that wait to be committed, the batch that is being committed excluded.',
      merge: 'sum',
      read: () => lifecycle.store?.waitingWrites() ?? 0,
    },
    {
      name: 'tessera_store_commits_total',
      help: 'Commits of the store by this process. tessera_store_commit_duration_seconds_count divided by it: how many writes share a commit.',
      merge: 'sum',
      read: () => (lifecycle.store === null ? [] : [{ labels: {}, value: lifecycle.store.commitCount() }]),
    },
    {
      name: 'tessera_database_connections',
      help: 'Connections to PostgreSQL, by pool (writers, readers, scanners) and state (in_use, idle, closed).',
      merge: 'sum',
      read: () => poolsOf(lifecycle).flatMap(connectionSamples),
    },
    {
      name: 'tessera_database_waiting',
      help: 'Writes or reads that wait for a connection to PostgreSQL, by pool.',
      merge: 'sum',
      read: () => poolsOf(lifecycle).map(({ name: pool, waiting }) => ({ labels: { pool }, value: waiting })),
    },
    {
      name: 'tessera_store_size_bytes',
      help: 'Size of the database; of an embedded one with its request log and the write-ahead logs.',
      read: async () => (lifecycle.store === null ? [] : [{ labels: {}, value: await lifecycle.store.sizeBytes() }]),
    },
    {
      name: 'tessera_store_size_max_bytes',
      help: 'What storeMegabytesMax allows the file of the embedded database; none without the setting or on PostgreSQL.',
      read: () =>
        config.databaseUrl === null && config.storeMegabytesMax !== null ? [{ labels: {}, value: config.storeMegabytesMax * 2 ** 20 }] : [],
    },
    {
      name: 'tessera_data_folder_size_bytes',
      help: 'Size of the file system that has the data folder.',
      read: async () => sizeSamples(await statfs(config.dataFolder), ({ blocks }) => blocks),
    },
    {
      name: 'tessera_data_folder_available_bytes',
      help: 'What is left for the service on the file system that has the data folder.',
      read: async () => sizeSamples(await statfs(config.dataFolder), ({ bavail }) => bavail),
    },
    {
      name: 'tessera_last_backup_timestamp_seconds',
      help: 'When tessera backup last recorded a backup of the database, unix seconds; 0 when it never did.',
      read: async () => {
        const at = lifecycle.store === null ? null : await lifecycle.store.read(findLastAction('database', 'database.backed_up'))
        return lifecycle.store === null ? [] : [{ labels: {}, value: (at ?? 0) / 1000 }]
      },
    },
    { name: 'tessera_requests_in_flight', help: 'Requests in progress.', merge: 'sum', read: () => lifecycle.inFlight() },
    {
      name: 'tessera_buffered_bytes',
      help: 'Memory held for clients: bodies that arrive, calls in progress and replies that were not read.',
      merge: 'sum',
      read: () => lifecycle.bufferedBytes(),
    },
    {
      name: 'tessera_connections_paused',
      help: 'Connections that are not read at the moment, because more arrives than the event loop can handle.',
      merge: 'sum',
      read: () => lifecycle.pausedConnections(),
    },
    {
      name: 'tessera_outbox_depth',
      help: 'Webhook deliveries that are waiting to be sent or retried.',
      read: async () => (lifecycle.store === null ? 0 : lifecycle.store.read(countWaitingDeliveries())),
    },
    {
      name: 'tessera_log_card_numbers_masked_total',
      help: 'Card numbers masked before they reached the log: more than zero is a bug.',
      merge: 'sum',
      read: log.maskedCount,
    },
    {
      name: 'tessera_request_log_dropped_total',
      help: 'Requests that are not in the request log, by caller, and reason: minute_budget or store_slow.',
      merge: 'sum',
      read: () => lifecycle.unrecorded().map(({ caller, reason, count }) => ({ labels: { caller, reason }, value: count })),
    },
    {
      name: 'tessera_log_lines_dropped_total',
      help: 'Log lines that were dropped because the reader of the log was too slow.',
      merge: 'sum',
      read: log.dropped,
    },
  ]
}

function sizeSamples(found: StatsFs, read: (found: StatsFs) => number): GaugeSample[] {
  return [{ labels: {}, value: read(found) * found.bsize }]
}

function poolsOf({ store }: ObservedLifecycle): readonly ConnectionPool[] {
  return store?.connectionPools() ?? []
}

function connectionSamples({ name: pool, inUse, idle, closed }: ConnectionPool): GaugeSample[] {
  const states = { in_use: inUse, idle, closed }
  return Object.entries(states).map(([state, value]) => ({ labels: { pool, state }, value }))
}
