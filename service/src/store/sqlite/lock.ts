import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreDamaged } from '../store.ts'
import { makeDatabaseFile } from './connect.ts'
import { primaryCode, SQLITE_BUSY, SQLITE_NOTADB } from './fault.ts'

export interface FolderLock {
  release(): void
}

/**
 * Locks a data folder for this process. It is a lock of the kernel (SQLite's exclusive file lock) and ends with the process, however that ends.
 * Throws `FolderLocked` when another process has it.
 */
export function lockFolder(folder: string): FolderLock {
  const pidPath = join(folder, 'tessera.lock.pid')
  const path = makeDatabaseFile(folder, 'tessera.lock')
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma journal_mode = memory')
    db.exec('begin exclusive')
  } catch (err) {
    db.close()
    throw lockError(err, folder, pidPath)
  }
  writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  // Referenced here as well: garbage collection of the database would release the lock.
  held.add(db)
  return {
    release: () => {
      if (held.delete(db)) db.close()
    },
  }
}

/** Another process uses the folder. */
export class FolderLocked extends Error {
  /** Process id of the other process; null when it cannot be read. */
  readonly pid: number | null

  constructor(folder: string, pid: number | null) {
    super(`another tessera (${pid === null ? 'of unknown pid' : `pid ${pid}`}) runs on the folder ${folder}`)
    this.pid = pid
  }
}

function lockError(err: unknown, folder: string, pidPath: string): Error {
  if (primaryCode(err) === SQLITE_BUSY) return new FolderLocked(folder, readPid(pidPath))
  if (primaryCode(err) === SQLITE_NOTADB)
    return new StoreDamaged(`tessera.lock in ${folder} is not a lock of Tessera`, 'Move it away and start again.', { cause: err })
  return new Error(`the folder ${folder} cannot be locked: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
}

function readPid(pidPath: string): number | null {
  try {
    const pid = Number(readFileSync(pidPath, 'utf8').trim())
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

const held = new Set<DatabaseSync>()
