import { StoreDamaged } from '../store.ts'

/** What an error of SQLite means for the caller. Codes: sqlite.org/rescode.html; the low byte is the primary one. */
export type SqliteFault =
  /** No room: roll back, refuse, keep reading, and write again when there is room. */
  | 'full'
  /** Another process holds the write lock. */
  | 'busy'
  /** A page is broken: requests for its rows fail, all others are served. */
  | 'broken'
  /** The disk failed: it is unknown what is durable, so the service stops. */
  | 'lost'
  /** The store was moved to PostgreSQL and refuses every write. */
  | 'moved'
  /** The statement itself, such as a constraint; only this transaction fails. */
  | 'statement'

export function sqliteFaultOf(err: unknown): SqliteFault {
  switch (primaryCode(err)) {
    case SQLITE_FULL:
      return 'full'
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return 'busy'
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return 'lost'
    case SQLITE_CORRUPT:
      return 'broken'
    default:
      return err instanceof Error && err.message === movedMessage ? 'moved' : 'statement'
  }
}

/** Runs a step of opening a database file. Throws `StoreDamaged` when the file is damaged or is not a database. */
export function opening<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (err) {
    const code = primaryCode(err)
    if (code === SQLITE_NOTADB) throw notDatabase(path, err)
    if (code === SQLITE_CORRUPT) {
      const reason = err instanceof Error ? err.message : String(err)
      throw new StoreDamaged(`${path} is damaged (${reason})`, restoreFile, { cause: err })
    }
    throw err
  }
}

export function notDatabase(path: string, cause?: unknown): StoreDamaged {
  return new StoreDamaged(`${path} is not a database, or an encrypted one`, restoreFile, { cause })
}

export const restoreFile =
  'Restarting does not help: keep a copy of the file, and restore database and key store from backups of the same time, or set TESSERA_DATA to another folder.'

/** The primary result code of an error of node:sqlite, or null. */
export function primaryCode(err: unknown): number | null {
  return primaryCodeOf(extendedCode(err))
}

/** The extended result code of an error of node:sqlite, or null. */
export function extendedCode(err: unknown): number | null {
  return err instanceof Error && 'errcode' in err && typeof err.errcode === 'number' ? err.errcode : null
}

/** The primary result code of an extended one. */
export function primaryCodeOf(code: number | null): number | null {
  return code === null ? null : code & 0xff
}

/** Whether an extended result code says that what is in the file is wrong. Other I/O errors say that the disk failed, and nothing about the file. */
export function isFileDamaged(code: number | null): boolean {
  const primary = primaryCodeOf(code)
  return primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB || code === SQLITE_IOERR_CORRUPTFS
}

/**
 * Whether a primary result code says only that a file cannot be read at this moment: it is locked, cannot be opened, or memory, descriptors or room are
 * missing. Such a failure is no damage.
 */
export function isUnreadableNow(code: number | null): boolean {
  return code !== null && unreadableNow.has(code)
}

/** What the triggers of a store that was moved to PostgreSQL say to every write. */
export const movedMessage = 'store_moved'

const SQLITE_PERM = 3
export const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_NOMEM = 7
const SQLITE_READONLY = 8
/** An extended code: a crash has interrupted a change, and this connection may not undo it. */
export const SQLITE_READONLY_ROLLBACK = SQLITE_READONLY | (3 << 8)
export const SQLITE_IOERR = 10
/** An extended code: the file system says that the file is damaged. */
export const SQLITE_IOERR_CORRUPTFS = SQLITE_IOERR | (33 << 8)
export const SQLITE_CORRUPT = 11
export const SQLITE_FULL = 13
export const SQLITE_CANTOPEN = 14
export const SQLITE_NOTADB = 26

const unreadableNow: ReadonlySet<number> = new Set([
  SQLITE_PERM,
  SQLITE_BUSY,
  SQLITE_LOCKED,
  SQLITE_NOMEM,
  SQLITE_READONLY,
  SQLITE_FULL,
  SQLITE_CANTOPEN,
])
