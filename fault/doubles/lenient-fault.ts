import * as real from '../../service/src/store/sqlite/fault.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

/** Treats a failed disk as a busy database: the mistake of retrying fsync. */
function lenientFaultOf(err: unknown): real.SqliteFault {
  const fault = real.sqliteFaultOf(err)
  return fault === 'lost' ? 'busy' : fault
}

export * from '../../service/src/store/sqlite/fault.ts'
export { lenientFaultOf as sqliteFaultOf }
