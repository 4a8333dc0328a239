import { readText } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Read } from '../transaction.ts'

/** Where a primary stands in its write-ahead log. */
export interface WalPosition {
  /** Log sequence number, `0/3A2B1C8`. */
  readonly lsn: string
  /** The timeline: it grows with every failover and every restore to a point in time. */
  readonly timeline: number
}

// The first eight digits of the name of a file of the log are the timeline (postgresql.org/docs/current/wal-internals.html).
const selectPosition = sql`
  select pg_current_wal_lsn()::text as lsn, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`

export function readWalPosition(): Read<WalPosition> {
  return {
    statement: selectPosition,
    values: [],
    map: ([row]) => {
      if (row === undefined) throw new Error('the server returned no position of its log')
      return { lsn: readText(row, 'lsn'), timeline: Number.parseInt(readText(row, 'timeline'), 16) }
    },
  }
}
