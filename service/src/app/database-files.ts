import { utimes } from 'node:fs/promises'

import type { Clock } from '../clock.ts'
import { ExitError } from '../ops/exits.ts'
import { type DatabaseFiles, findDatabaseFiles, type FoundFile, isSameFile } from '../store/sqlite/file-identity.ts'
import { readDatabaseFile } from '../store/sqlite/integrity.ts'
import { describeGap } from '../store/audit.ts'
import { databasePathOf } from '../store/sqlite/sqlite.ts'

import { repeat } from './background-jobs.ts'
import { dataFolderPaths, type NotedFiles, readFolderMarker, readMarkerChangedNs, writeFolderMarker } from './data-folder.ts'
import type { StartSubject } from './start-subject.ts'

/**
 * The check of a start that the files of the embedded database are those that the service left. Files that are not are read in full, since a copy that was
 * made while a service wrote them is torn: its pages are of different moments. Throws `ExitError`.
 */
export async function checkDatabaseFiles({ config, marker, isServing, acceptsOlder, log, stopping }: StartSubject): Promise<string> {
  const { dataFolder, databaseUrl } = config
  if (databaseUrl !== null) return 'PostgreSQL checks its own'
  if (isServing()) return 'in use by the running service'
  const found = findDatabaseFiles(dataFolder)
  if (found.database === null) return 'none yet'
  const was = compareFiles(marker()?.files ?? null, found, readMarkerChangedNs(dataFolder))
  if (was === 'closed') return 'as the last stop left them'
  if (was === 'crashed') return 'as a crash left them; the log of SQLite completes them'
  if (was === 'incomplete' && !acceptsOlder) throw missingWal(dataFolder)
  const bytes = found.database.size + (found.wal?.size ?? 0)
  const isLong = bytes >= longCheckBytes
  if (isLong) log.info('database_checking', { bytes })
  const { damage, gaps } = await readDatabaseFile(databasePathOf(dataFolder), { signal: stopping })
  if (damage.length > 0) throw tornDatabase(dataFolder, damage, keepAndRestore)
  if (gaps.length > 0 && !acceptsOlder) throw tornDatabase(dataFolder, gaps.map(describeGap), acceptGaps)
  if (isLong) log.info('database_checked', { bytes })
  return gaps.length > 0
    ? `not those of the last stop; read in full: ${gaps.map(describeGap).join(', ')}`
    : 'not those of the last stop; read in full, without a fault'
}

/** Throws `ExitError` when the write-ahead log that a crash left is missing. For a command that reads the files beside a service or without one. */
export function requireWal(folder: string): void {
  // Before the marker: a service that stops notes it before it removes the log.
  const found = findDatabaseFiles(folder)
  if (compareFiles(readFolderMarker(folder)?.files ?? null, found, readMarkerChangedNs(folder)) === 'incomplete') throw missingWal(folder)
}

/**
 * `closed`: the files of the last stop. `crashed`: the files that a service used until it ended without a stop, and nothing else wrote them. `incomplete`:
 * the same without their write-ahead log. `unknown`: anything else, such as files that were copied.
 */
export function compareFiles(
  noted: NotedFiles | null,
  found: DatabaseFiles,
  touchedNs: bigint | null,
): 'closed' | 'crashed' | 'incomplete' | 'unknown' {
  const { database, wal } = found
  if (noted === null || database === null) return 'unknown'
  const isSame = isSameFile(noted.database, database)
  if (noted.state === 'closed') {
    const { size, changedNs } = noted.database
    return isSame && wal === null && size === database.size && changedNs === database.changedNs ? 'closed' : 'unknown'
  }
  if (wal === null) return noted.state === 'open' ? 'incomplete' : 'unknown'
  const isSameWal = noted.wal !== null && isSameFile(noted.wal, wal)
  const wasInUse = (file: FoundFile): boolean => touchedNs !== null && BigInt(file.changedNs) - touchedNs < touchToleranceNs
  return isSame && isSameWal && wasInUse(database) && wasInUse(wal) ? 'crashed' : 'unknown'
}

/** Before the database is closed, which removes its write-ahead log. A start that is refused changes nothing, unless it completes what a crash left. */
export function noteFilesClosing(folder: string): void {
  const marker = readFolderMarker(folder)
  if (marker?.files?.state === 'open') writeFolderMarker(folder, { ...marker, files: findNotedFiles(folder, 'closing') })
}

/**
 * After the database was closed by a stop or a command. A write-ahead log that is still there was not moved into the database, so the files are as those
 * of a crash: `open`. Does nothing on PostgreSQL, or on a folder that no start has used.
 */
export function noteFilesClosed(folder: string): void {
  const marker = readFolderMarker(folder)
  if (marker?.store !== 'sqlite') return
  const files = findNotedFiles(folder, 'closed')
  const isOpen = files !== null && files.wal !== null
  writeFolderMarker(folder, { ...marker, files: isOpen ? { ...files, state: 'open' } : files })
}

/** What the marker says about the files as they are now; null when there are none. */
export function findNotedFiles(folder: string, state: NotedFiles['state']): NotedFiles | null {
  const { database, wal } = findDatabaseFiles(folder)
  return database === null ? null : { state, database, wal }
}

/** Touches the marker while the service uses the files, so that a file that changed later was changed by something else. */
export function touchMarker(folder: string, clock: Clock): { stop(): Promise<void> } {
  const path = dataFolderPaths(folder).marker
  // A marker that cannot be touched costs a full check at the next start after a crash.
  return repeat({ clock, everyMs: touchEveryMs, run: () => utimes(path, clock.now() / 1000, clock.now() / 1000), onError: () => undefined })
}

function missingWal(folder: string): ExitError {
  const path = databasePathOf(folder)
  const what =
    `database_incomplete: ${path}-wal is missing. The service was not stopped the last time, so this file has its last acknowledged writes; ` +
    'a copy needs both files.'
  return new ExitError('damaged', what, {
    advice:
      'Put the file back. If it is lost, restore a backup (tessera restore), or accept the database without these writes: tessera audit accept-restored --yes. ' +
      'The same holds when another program, such as sqlite3, opened the database after the crash: it moves the writes into the database and deletes the file.',
  })
}

function tornDatabase(folder: string, faults: readonly string[], advice: string): ExitError {
  const more = faults.length === 1 ? '' : `, and ${String(faults.length - 1)} more`
  const what =
    `database_torn: ${databasePathOf(folder)} is not the file that the last stop left, and it is not consistent (${faults[0] ?? ''}${more}): it was copied ` +
    'while a service wrote it, copied in part, or damaged.'
  return new ExitError('damaged', what, { advice })
}

const keepAndRestore =
  'Keep a copy of it, and restore a backup that tessera backup made: tessera restore <folder>. Restarting does not help.'
const acceptGaps =
  `${keepAndRestore} If the entries were missing before these files were moved (tessera audit verify said so), accept the database: ` +
  'tessera audit accept-restored --yes.'

/** Reading less takes no time that an operator would notice. */
const longCheckBytes = 64 * 2 ** 20
const touchEveryMs = 2000
/** A file that a crashed service changed after it had touched the marker for the last time. */
const touchToleranceNs = 5_000_000_000n
