import { join } from 'node:path'

import type { Result } from '@tessera/contract/operations'

import { makeCheckpointFile } from '../../adapters/checkpoints/file.ts'
import { auditHeadsFile, auditHeadsValue, checkpointFileName } from '../../app/data-folder.ts'
import { inspectDatabase } from '../../app/inspect-database.ts'
import { needsCustodians } from '../../app/sealed-service.ts'
import type { StartSubject } from '../../app/start-subject.ts'
import { makeAnchors, type ValueStore } from '../../domain/freshness/anchors.ts'
import { toStoreCheckResult } from '../../operations/operator.store.ts'
import type { AuditHead } from '../../store/audit.ts'
import { requestLogPathOf } from '../../store/sqlite/request-log.ts'
import { makeValueFile } from '../../store/value-file.ts'
import { findValue } from '../../store/keys.ts'
import { makeWalk, type Walk } from '../../store/walk.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { allStages, checkStore, type StoreCheckStage, type StoreReport } from '../audit/check.ts'
import { newestHeads } from '../audit/newest-heads.ts'
import { listPublicKeys } from '../audit/signers.ts'
import { ExitError } from '../exits.ts'

import { runOnStoppedService } from './accept-restored.ts'
import type { CommandInput } from './command.ts'
import { waitForCustodians } from './wait-for-custodians.ts'
import { withSubject } from './with-subject.ts'

/**
 * Checks the store of a data folder on which no service runs, as the checks of a start open it: for reading only. The ends of the audit chains are compared
 * with what the data folder has recorded outside of the database. Throws `ExitError` when database, key store or KEK cannot be opened.
 */
export async function checkStoppedStore(input: CommandInput): Promise<Result<'operator.store.check'>> {
  const { config } = input.settings()
  const isSealed = await withSubject(config, ({ storedKeys }) => needsCustodians(config, storedKeys))
  if (!isSealed) return withSubject(config, (subject) => checkSubject(subject, input))
  // They enter their shares at the control socket of the data folder, on which no service may start meanwhile.
  return runOnStoppedService(input, ({ openSubject }) => checkSubject(openSubject(), input), waitForCustodians)
}

async function checkSubject(subject: StartSubject, { progress }: CommandInput): Promise<Result<'operator.store.check'>> {
  const clock = makeSystemClock()
  const store = await subject.database()
  if (!store.hasSchema) throw new ExitError('invalidSettings', 'there is no database to check.', { advice: nameDatabase })
  if (store.pending().length > 0) throw new ExitError('invalidSettings', 'the database is of an older version.', { advice: migrateFirst })
  const walk = makeWalk({ onProgress: progress.show, now: () => clock.moment().monotonicMs })
  return toStoreCheckResult(await checkOpenedStore(subject, allStages, walk))
}

/**
 * Runs stages of the check on a store that is opened for reading; a service may be using it. The ends of the audit chains are compared with what was
 * recorded of them outside of the database.
 */
export async function checkOpenedStore(subject: StartSubject, stages: readonly StoreCheckStage[], walk: Walk): Promise<StoreReport> {
  const { config } = subject
  // Before the database is read, since a service may be writing.
  const knownHeads = await readRecordedHeads(subject)
  return checkStore(
    {
      store: await subject.database(),
      requestLogFile: config.databaseUrl === null ? requestLogPathOf(config.dataFolder) : null,
      openKeyStore: () => inspectDatabase('keys', config.keysDatabaseUrl ?? config.databaseUrl, config.dataFolder),
      keyring: await subject.keyring(),
      environment: config.environment,
      knownHeads,
      walk,
    },
    stages,
  )
}

/** From the checkpoint file, and what the service recorded of how far it had read the audit. */
async function readRecordedHeads(subject: StartSubject): Promise<AuditHead[]> {
  const { dataFolder, environment, keysDatabaseUrl, databaseUrl } = subject.config
  const keyring = await subject.keyring()
  const file = makeCheckpointFile(subject.config.auditCheckpointFile ?? join(dataFolder, checkpointFileName))
  const checkpoints = newestHeads((await file.readLast?.()) ?? [], await listPublicKeys(keyring), environment)
  const heads = (keysDatabaseUrl ?? databaseUrl) === null ? makeValueFile(dataFolder, auditHeadsFile) : await valueInKeyStore(subject)
  const anchors = makeAnchors({ heads, snapshot: heads, keyring, environment })
  return [...checkpoints, ...((await anchors.readHeads()) ?? [])]
}

/** On PostgreSQL the service records the ends beside the keys. */
async function valueInKeyStore(subject: StartSubject): Promise<ValueStore> {
  const keyStore = await subject.keyStore()
  const read = async (): Promise<Uint8Array | null> =>
    keyStore.hasSchema && keyStore.pending().length === 0 ? keyStore.read({ ...findValue, values: [auditHeadsValue] }) : null
  return { read, save: () => Promise.reject(new Error('the key store is open for reading only')) }
}

const nameDatabase = 'Set TESSERA_DATA, and TESSERA_DATABASE_URL if it is in PostgreSQL, as the service has them.'
const migrateFirst = 'Start the service once, which migrates it, or check it with the version that wrote it.'
