import { readInteger } from '../columns.ts'
import { sql } from '../statement.ts'
import { type StoreLock, StoreUnavailable } from '../store.ts'
import { damagedError, isDamaged } from './fault.ts'
import type { Read } from '../transaction.ts'
import type { Primary } from './primary.ts'

/**
 * A lock between the processes of one database and schema, held by a connection of its own. An advisory lock and not a row's, because a transaction
 * that is open for minutes keeps the server from cleaning up.
 */
export async function tryAdvisoryLock(primary: Primary, name: string): Promise<StoreLock | null> {
  const session = await primary.connect(() => undefined)
  try {
    const [row] = await session.query(takeLock, [name])
    if (row === undefined || readInteger(row, 'taken') === 0) {
      await session.end()
      return null
    }
  } catch (err) {
    session.destroy()
    throw lockLost(err)
  }
  return {
    check: async () => {
      try {
        await session.query(ping, [])
      } catch (err) {
        session.destroy()
        throw lockLost(err)
      }
    },
    release: () => session.end(),
  }
}

/** Whether a session has the lock of this name. */
export function findAdvisoryLock(name: string): Read<boolean> {
  return { statement: selectLock, values: [name], map: (rows) => rows.length > 0 }
}

function lockLost(cause: unknown): StoreUnavailable {
  if (isDamaged(cause)) return damagedError(cause)
  return new StoreUnavailable(cause instanceof Error ? cause.message : String(cause), { cause })
}

const takeLock = sql`select pg_try_advisory_lock(hashtext(current_schema()), hashtext($1))::int as taken`
/** `pg_locks` shows the two keys of an advisory lock as unsigned numbers. */
const selectLock = sql`
  select 1 as held from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and classid = (hashtext(current_schema())::bigint & 4294967295)::oid
    and objid = (hashtext($1)::bigint & 4294967295)::oid
  limit 1`
const ping = sql`select 1 as one`
