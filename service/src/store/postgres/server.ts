import { integer, text } from '../column.ts'
import { sql } from '../statement.ts'
import type { Row } from '../statement.ts'

/** What a server says of itself that a commit there can be trusted by. */
export const askServer = sql`
  select case when pg_is_in_recovery() then 1 else 0 end as standby, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
    current_setting('synchronous_standby_names') as synchronous_standby_names`

export interface ServerPromise {
  /** The `synchronous_commit` to ask for. */
  readonly commit: string
  /** What an acknowledged commit survives. */
  readonly durability: 'local' | 'replicated'
}

/** Reads what commits of a server promise. Throws when it takes no writes, or may lose what it acknowledged. */
export function readServer(row: Row, allowUnsafe: boolean): ServerPromise {
  if (integer(row, 'standby') === 1) throw new Error('a standby')
  if (!allowUnsafe && (text(row, 'fsync') !== 'on' || text(row, 'full_page_writes') !== 'on')) {
    throw new Error('a server that may lose what it acknowledged: fsync and full_page_writes have to be on')
  }
  const asked = text(row, 'synchronous_commit')
  // `off` acknowledges what is only in memory; everything stronger is the operator's choice.
  const commit = asked === 'off' ? 'on' : asked
  const isReplicated = commit !== 'local' && text(row, 'synchronous_standby_names') !== ''
  return { commit, durability: isReplicated ? 'replicated' : 'local' }
}
