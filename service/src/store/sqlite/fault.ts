/** What an error of SQLite means for whoever asked. Codes: sqlite.org/rescode.html; the low byte is the primary one. */
export type Fault =
  /** No room: undo, refuse, go on reading, and write again when there is room. */
  | 'full'
  /** Another process holds the write lock. */
  | 'busy'
  /** A page is broken: what lies on it is refused, and its neighbours are served. */
  | 'broken'
  /** The disk failed: what is durable is not known any more, and the one honest answer is to stop. */
  | 'lost'
  /** The statement itself, such as a constraint; the unit alone fails. */
  | 'statement'

export function faultOf(err: unknown): Fault {
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
      return 'statement'
  }
}

/** The primary result code of an error of node:sqlite, or null. */
export function primaryCode(err: unknown): number | null {
  return err instanceof Error && 'errcode' in err && typeof err.errcode === 'number' ? err.errcode & 0xff : null
}

export const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_NOMEM = 7
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
export const SQLITE_NOTADB = 26
