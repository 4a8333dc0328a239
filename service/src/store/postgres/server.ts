import { readText, readInteger } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Row } from '../statement.ts'

/** The settings of a server on which the durability of its commits depends. */
export const selectServerSettings = sql`
  select case when pg_is_in_recovery() then 1 else 0 end as standby, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
    current_setting('synchronous_standby_names') as synchronous_standby_names`

export interface ServerSettings {
  /** The `synchronous_commit` to set. */
  readonly commit: string
  /** What an acknowledged commit survives. */
  readonly durability: 'local' | 'replicated'
}

/** Derives the durability of commits. Throws when the server accepts no writes or may lose acknowledged commits. */
export function parseServerSettings(row: Row, allowUnsafe: boolean): ServerSettings {
  if (readInteger(row, 'standby') === 1) throw new Error('a standby')
  if (!allowUnsafe && (readText(row, 'fsync') !== 'on' || readText(row, 'full_page_writes') !== 'on')) {
    throw new Error('a server that may lose what it acknowledged: fsync and full_page_writes have to be on')
  }
  const configured = readText(row, 'synchronous_commit')
  // `off` acknowledges commits that are only in memory; among the stronger settings the operator chooses.
  const commit = configured === 'off' ? 'on' : configured
  const isReplicated = commit !== 'local' && readText(row, 'synchronous_standby_names') !== ''
  return { commit, durability: isReplicated ? 'replicated' : 'local' }
}
