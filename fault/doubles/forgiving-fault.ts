import * as real from '../../service/src/store/sqlite/fault.ts'

/** Takes a failed disk for a busy database: the mistake of retrying fsync. */
function forgivingFaultOf(err: unknown): real.SqliteFault {
  const fault = real.sqliteFaultOf(err)
  return fault === 'lost' ? 'busy' : fault
}

export { forgivingFaultOf as sqliteFaultOf }
export { primaryCode, SQLITE_BUSY, SQLITE_NOTADB } from '../../service/src/store/sqlite/fault.ts'
export type { SqliteFault } from '../../service/src/store/sqlite/fault.ts'
