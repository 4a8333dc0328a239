import * as real from '../../service/src/store/sqlite/fault.ts'

/** Takes a disk that failed for a database that is busy: the mistake of trying fsync again. */
export function faultOf(err: unknown): real.Fault {
  const fault = real.faultOf(err)
  return fault === 'lost' ? 'busy' : fault
}

export { primaryCode, SQLITE_BUSY, SQLITE_NOTADB } from '../../service/src/store/sqlite/fault.ts'
export type { Fault } from '../../service/src/store/sqlite/fault.ts'
