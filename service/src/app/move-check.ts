import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import { hasTargetMark, readMovedMark, readTargetMark, type MovedMark } from '../store/sqlite/move-marks.ts'
import { databasePathOf } from '../store/sqlite/sqlite.ts'

import { readFolderMarker, requireSameStore, type FolderMarker } from './data-folder.ts'
import type { StartSubject } from './start-subject.ts'

/**
 * Throws `ExitError` when the settings name another kind of database than the data folder was used with. After a move they have to name PostgreSQL: `checkMove`
 * looks at both.
 */
export function requireStoreOfFolder({ databaseUrl, dataFolder }: Config, marker: FolderMarker | null): void {
  const isMoved = databaseUrl !== null && marker?.store === 'sqlite' && readMovedMark(databasePathOf(dataFolder)) !== null
  if (!isMoved) requireSameStore(dataFolder, marker, databaseUrl === null ? 'sqlite' : 'postgres')
}

/**
 * The same for a command that reads the store beside a service or without one: without the address of PostgreSQL it would read, and back up, what the embedded
 * database had on the day of the move.
 */
export function requireStoreInCharge(config: Config): void {
  const { databaseUrl, dataFolder } = config
  requireStoreOfFolder(config, readFolderMarker(dataFolder))
  if (databaseUrl !== null) return
  const moved = readMovedMark(databasePathOf(dataFolder))
  if (moved !== null) throw movedAway(moved)
}

/** The check of a start that the store is the one in charge: a moved store, and a target before and after its time, are refused. Throws `ExitError`. */
export async function checkMove({ config, database }: StartSubject): Promise<string> {
  const moved = readMovedMark(databasePathOf(config.dataFolder))
  if (config.databaseUrl === null) {
    if (moved === null) return 'never moved'
    throw movedAway(moved)
  }
  const store = await database()
  const mark = (await store.read(hasTargetMark)) ? await store.read(readTargetMark) : null
  const isSameMove = mark !== null && moved !== null && mark.moveId === moved.moveId
  if (mark === null) {
    if (moved === null) return 'never moved'
    // After a start on PostgreSQL the folder says so, and the file is left over.
    return 'the data folder has an embedded database that was moved'
  }
  if (mark.state === 'complete' || (mark.state === 'ready' && isSameMove)) return 'moved here from an embedded database'
  if (mark.state === 'returned')
    throw new ExitError('invalidSettings', 'the service was moved back from this database.', {
      advice: isSameMove ? repeatBack : useEmbedded,
    })
  throw new ExitError('invalidSettings', 'this database is the target of a move that is not complete.', { advice: useEmbedded })
}

function movedAway({ movedAt }: MovedMark): ExitError {
  return new ExitError('invalidSettings', `the embedded database was moved to PostgreSQL on ${dateOf(movedAt)}.`, { advice: useTarget })
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

const useTarget =
  'Set TESSERA_DATABASE_URL, and TESSERA_KEYS_DATABASE_URL if the move had it. Before the first write there, tessera store move --back returns: see docs/operating/move-to-postgresql.md.'
const useEmbedded = 'The embedded database of the service is in charge: start without TESSERA_DATABASE_URL, or repeat tessera store move.'
const repeatBack = 'The way back was interrupted: repeat tessera store move --back.'
