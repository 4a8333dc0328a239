import pg from 'pg'
import { StoreDamaged, type StoreRefusal } from '../store.ts'
import { PipelineFailed } from './session.ts'

/** What an error means for the caller, as long as COMMIT was not sent. Codes: PostgreSQL documentation, appendix A. */
export type PostgresFault =
  /** A deadlock, a serialization failure, or a transaction that the server ended because nothing came for it: a retry may work. */
  | 'again'
  /** Another writer has continued our audit chain. */
  | 'chainTaken'
  /** The server's disk is full, or a quota is used up. */
  | 'full'
  /** The server found its own files damaged. */
  | 'damaged'
  /** It or a node of a distributed one does not respond, is shutting down, is read-only, or another session has the row locked for too long. */
  | 'unavailable'
  /** The statement itself, such as a constraint. */
  | 'statement'

export function postgresFaultOf(err: unknown): PostgresFault {
  const error = serverErrorOf(err)
  // An error that did not come from the server is a lost or silent connection.
  if (error === null) return 'unavailable'
  const code = error.code ?? ''
  if (code === '40001' || code === '40P01' || code === endedIdle) return 'again'
  if (code === '53100' || isWithoutRoom(error)) return 'full'
  if (isDamaged(err)) return 'damaged'
  if (isUnlistedErrno(error)) return 'unavailable'
  if (code === '23505' && error.table === 'audit') return 'chainTaken'
  // Two events of one object got the same position at once.
  if (code === '23505' && error.constraint === 'outbox_order') return 'again'
  return UNAVAILABLE.test(code) || isNodeAway(error) ? 'unavailable' : 'statement'
}

/**
 * Whether a node of a distributed database is away. Citus reports a lost connection to one as an internal error with the text of libpq, or with an empty one, from its own source files;
 * most others have class 08.
 */
function isNodeAway({ code, file = '', message, detail = '' }: pg.DatabaseError): boolean {
  return code === 'XX000' && (nodeFiles.test(file) || nodeAway.test(message) || nodeAway.test(detail))
}

/**
 * Certainly refused at COMMIT: transaction rollback, a constraint, insufficient resources, and a session that ended while the server waited for the next
 * statement of the transaction. After any other error the outcome is unknown, also after 40003 (statement completion unknown), which other databases with
 * this protocol return for a commit whose outcome they do not know.
 */
export function isRefusedCommit(err: unknown): boolean {
  return /^(40(?!003)|23|53|25P03)/.test(serverErrorOf(err)?.code ?? '')
}

/** Whether the connection is lost, so that the error says nothing about a statement. */
export function isConnectionLost(err: unknown): boolean {
  const error = serverErrorOf(err)
  return err instanceof PipelineFailed && (error === null || error.code === endedIdle)
}

/** What the server refuses for good, when an error says so; null for any other error. */
export function refusalOf(err: unknown): StoreRefusal | null {
  switch (serverErrorOf(err)?.code) {
    case '28P01':
    case '28000':
      return 'login'
    case '3D000':
      return 'database'
    // insufficient_privilege; 3F000 when the user may not use any schema of its search_path.
    case '42501':
    case '3F000':
      return 'rights'
    default:
      return null
  }
}

/**
 * Whether the server found its own files damaged: data_corrupted and index_corrupted; and internal_error, undefined_file and io_error where they come from
 * the server's code that reads files, pages and rows (`storageFiles`). A damaged row pointer is reported as an internal error, say.
 */
export function isDamaged(err: unknown): boolean {
  const error = serverErrorOf(err)
  const { code = '', file = '' } = error ?? {}
  if (error === null || isUnlistedErrno(error)) return false
  return /^XX00[12]$/.test(code) || (/^(XX000|58P01|58030)$/.test(code) && storageFiles.test(file))
}

/**
 * Whether the operating system refused access to a file for a reason for which PostgreSQL has no code, such as EDQUOT, EFBIG, ESTALE and EINTR: the files are
 * whole. In md.c only a block behind the end of a file is an internal error that is about what the files contain (`_mdfd_getseg`), and in fd.c none is. That
 * one, and slru.c, raise both from one place, so the text decides there, where messages are English.
 */
function isUnlistedErrno({ code, file, routine, message, detail = '' }: pg.DatabaseError): boolean {
  if (code !== 'XX000') return false
  return (file === 'md.c' && routine !== '_mdfd_getseg') || file === 'fd.c' || unlistedErrno.test(message) || unlistedErrno.test(detail)
}

/** Whether a file could not grow for such a reason: a quota, or a limit of the size of files. */
function isWithoutRoom(error: pg.DatabaseError): boolean {
  const { routine = '', message, detail = '' } = error
  return isUnlistedErrno(error) && (growingRoutines.test(routine) || noRoom.test(message) || noRoom.test(detail))
}

/** What `isDamaged` says, as the error of the store. */
export function damagedError(err: unknown): StoreDamaged {
  const message = err instanceof Error ? err.message : String(err)
  return new StoreDamaged(`PostgreSQL found its files damaged (${message})`, 'Restore it from a backup, or use a replica.', { cause: err })
}

/** The server's own error, or null when the error came from elsewhere. */
export function serverErrorOf(err: unknown): pg.DatabaseError | null {
  const cause = err instanceof PipelineFailed ? err.cause : err
  return cause instanceof pg.DatabaseError ? cause : null
}

/**
 * Whether another session creates the same table or schema, or has created it: duplicate_table, duplicate_schema; where both do it at the same moment,
 * unique_violation in the system catalog, or duplicate_object for the row type of the table.
 */
export function isCatalogRace(err: unknown): boolean {
  return ['42P07', '42P06', '23505', '42710'].includes(serverErrorOf(err)?.code ?? '')
}

/** Whether a statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(err: unknown): boolean {
  return serverErrorOf(err)?.code === '55P03'
}

/** Whether the server has ended a statement because each of two transactions waited for the other. */
export function isDeadlock(err: unknown): boolean {
  return serverErrorOf(err)?.code === '40P01'
}

/** `idle_in_transaction_session_timeout` (host-session.ts): nothing of the transaction is stored. */
const endedIdle = '25P03'

// 08 connection · 0A000 a plan that no longer fits, 26000 a statement that the server forgot: a new connection fixes both · 25006 read-only
// · 53 resources · 55P03 lock not available · 57 operator intervention · 58 system error
const UNAVAILABLE = /^(08|0A000|26000|25006|53|55P03|57|58)/

/**
 * The server's source files, which an error names in every language of its messages (PostgreSQL documentation, 55.8): files and pages · the state of
 * transactions · rows and values out of line · indexes, and what amcheck finds · the cached catalog · a length that no value can have.
 */
const storageFiles = new RegExp(
  `^(${[
    'md|smgr|fd|bufmgr|bufpage|freespace|visibilitymap',
    'slru|clog|multixact|subtrans|commit_ts',
    'heap\\w*|heaptoast|detoast|toast_\\w+|pg_lzcompress|tidbitmap',
    'nbt\\w*|indextuple|verify_\\w+',
    'relcache|catcache',
    'mcxt',
  ].join('|')})\\.c$`,
)

/** Citus's source files that talk to nodes. They pass an internal error of the node itself on as well: that one is not known to be about the statement either. */
const nodeFiles =
  /^(remote_commands|remote_transaction|connection_management|placement_connection|adaptive_executor|worker_transaction)\.c$/
const nodeAway = new RegExp(
  [
    '^connection error: ',
    'connection to the remote node .* failed',
    'could not connect to (any active placements|node|server)',
    'could not establish any connections',
    'failed to execute task \\d',
    'failure on connection marked as essential',
    'could not receive query results',
    'server closed the connection unexpectedly',
    'no connection to the server',
    'connection not open',
  ].join('|'),
)

/** Of md.c, in PostgreSQL 14 to 18. */
const growingRoutines = /^md(create|extend|zeroextend|writev?)$/
const noRoom = /(Disk quota exceeded|File too large)\.?$/
const unlistedErrno = /(Disk quota exceeded|File too large|Stale file handle|Interrupted system call)\.?$/
