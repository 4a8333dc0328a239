import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { PostgresKeyStore } from '../store/postgres/keys.ts'
import type { PrimaryObserver } from '../store/postgres/primary.ts'
import { makePrimaryRecord, type PrimaryRecord, type RecordPlace } from '../store/postgres/primary-record.ts'
import type { DamageAlarm } from './damage-alarm.ts'
import { makeValueFile } from '../store/value-file.ts'

/** The databases on PostgreSQL, each with a primary of its own: they may be on different servers. */
export type DatabaseName = 'cards' | 'keys'

/** Records the primary that was followed last in the data folder, and in `shared`, which other processes read too. */
export function openPrimaryRecord(dataFolder: string, database: DatabaseName, shared: RecordPlace | null = null): PrimaryRecord {
  const file = makeValueFile(dataFolder, recordFiles[database])
  return makePrimaryRecord(shared === null ? [file] : [file, shared])
}

/** Reports which primary is followed, and raises the alarm while none can be: a gauge for each database, and log lines. The alarm of damage ends with its server. */
export function makePrimaryAlarm(
  log: Pick<Log, 'info' | 'error'>,
  metrics: Pick<Metrics, 'registerGauge'>,
  damage: Pick<DamageAlarm, 'end'>,
): (database: DatabaseName) => PrimaryObserver {
  const states = new Map<DatabaseName, { isRefused: boolean; epoch: number }>()
  const read = (value: (state: { isRefused: boolean; epoch: number }) => number) => () =>
    [...states].map(([database, state]) => ({ labels: { database }, value: value(state) }))
  metrics.registerGauge({
    name: 'tessera_primary_refused',
    help: '1 while two servers accept writes, or only one that is older than the primary followed last; calls are refused.',
    merge: 'max',
    read: read(({ isRefused }) => (isRefused ? 1 : 0)),
  })
  metrics.registerGauge({
    name: 'tessera_primary_epoch',
    help: 'Epoch of the primary that is followed on PostgreSQL; each failover raises it by one.',
    read: read(({ epoch }) => epoch),
  })
  return (database) => ({
    onFollowed({ epoch, timeline }) {
      // What was damaged was another server.
      if (database === 'cards' && (states.get(database)?.epoch ?? epoch) !== epoch) damage.end()
      states.set(database, { isRefused: false, epoch })
      log.info('primary_followed', { database, epoch, timeline })
    },
    onRefused(err) {
      states.set(database, { isRefused: true, epoch: states.get(database)?.epoch ?? 0 })
      log.error('primary_refused', { database, reason: err.reason, err })
    },
  })
}

/** The record of the cards' primary in the key store, which every process reads. */
export function sharedRecordPlace(keys: Pick<PostgresKeyStore, 'readValue' | 'saveValue'>): RecordPlace {
  return { read: () => keys.readValue(sharedValueName), save: (value) => keys.saveValue(sharedValueName, value) }
}

const sharedValueName = 'primary_epoch'

const recordFiles: Readonly<Record<DatabaseName, string>> = { cards: 'primary-epoch', keys: 'primary-epoch-keys' }
