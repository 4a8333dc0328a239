import * as real from '../../service/src/store/sqlite/fault.ts'

// Loaded in place of a whole module (ignore-io-errors.ts), so it is one.

/** Treats a failed disk as a busy database: the mistake of retrying fsync. */
function lenientFaultOf(err: unknown): real.SqliteFault {
  const fault = real.sqliteFaultOf(err)
  return fault === 'lost' ? 'busy' : fault
}

export { lenientFaultOf as sqliteFaultOf }
export {
  isUnreadableNow,
  notDatabase,
  opening,
  primaryCode,
  restoreFile,
  SQLITE_BUSY,
  SQLITE_CORRUPT,
  SQLITE_NOTADB,
} from '../../service/src/store/sqlite/fault.ts'
export type { SqliteFault } from '../../service/src/store/sqlite/fault.ts'
