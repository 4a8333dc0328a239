import { join } from 'node:path'

import type { Result } from '@tessera/contract/operations'

import { makeCheckpointFile } from '../../adapters/checkpoints/file.ts'
import { auditHeadsFile, checkpointFileName } from '../../app/data-folder.ts'
import { inspectDatabase } from '../../app/inspect-database.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { makeStartSubject, type StartSubject } from '../../app/start-subject.ts'
import { makeAnchors } from '../../domain/freshness/anchors.ts'
import { toStoreCheckResult } from '../../operations/operator.store.ts'
import type { AuditHead } from '../../store/audit.ts'
import { makeValueFile } from '../../store/value-file.ts'
import type { WalkProgress } from '../../store/walk.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { allStages, checkStore } from '../audit/check.ts'
import { newestHeads } from '../audit/newest-heads.ts'
import { listPublicKeys } from '../audit/signers.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { makeWalk } from '../../store/walk.ts'

import { explainStart } from './explain-start.ts'

/**
 * Checks the store of a data folder on which no service runs, as the checks of a start open it: for reading only. The ends of the audit chains are compared
 * with what the data folder has recorded outside of the database. Throws `ExitError` when database, key store or KEK cannot be opened.
 */
export async function checkStoppedStore(
  config: Config,
  onProgress: (progress: WalkProgress) => void,
): Promise<Result<'operator.store.check'>> {
  const clock = makeSystemClock()
  const subject = makeStartSubject(config, {
    adapters: chooseAdapters(config),
    clock,
    log: silentLog,
    claim: () => Promise.resolve(''),
    isServing: () => false,
    retry: (step) => step(),
  })
  try {
    const store = await subject.database()
    if (!store.hasSchema) throw new ExitError('invalidSettings', 'there is no database to check.', { advice: nameDatabase })
    if (store.pending().length > 0) throw new ExitError('invalidSettings', 'the database is of an older version.', { advice: migrateFirst })
    const report = await checkStore(
      {
        store,
        openKeyStore: () => inspectDatabase('keys', config.keysDatabaseUrl ?? config.databaseUrl, config.dataFolder),
        keyring: await subject.keyring(),
        environment: config.environment,
        knownHeads: await readRecordedHeads(config, subject),
        walk: makeWalk({ onProgress, now: () => clock.moment().monotonicMs }),
      },
      allStages,
    )
    return toStoreCheckResult(report)
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  } finally {
    await subject.close()
  }
}

/** From the checkpoint file, and what the service recorded of how far it had read the audit. */
async function readRecordedHeads(config: Config, subject: StartSubject): Promise<AuditHead[]> {
  const { dataFolder, environment } = config
  const keyring = await subject.keyring()
  const file = makeCheckpointFile(config.auditCheckpointFile ?? join(dataFolder, checkpointFileName))
  const checkpoints = newestHeads((await file.readLast?.()) ?? [], await listPublicKeys(keyring), environment)
  const heads = makeValueFile(dataFolder, auditHeadsFile)
  const anchors = makeAnchors({ heads, snapshot: heads, keyring, environment })
  return [...checkpoints, ...((await anchors.readHeads()) ?? [])]
}

const ignore = (): void => undefined
const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore, maskedCount: () => 0, dropped: () => 0 }
const nameDatabase = 'Set TESSERA_DATA, and TESSERA_DATABASE_URL if it is in PostgreSQL, as the service has them.'
const migrateFirst = 'Start the service once, which migrates it, or check it with the version that wrote it.'
