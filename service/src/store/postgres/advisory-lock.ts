import { readInteger } from '../columns.ts'
import { sql } from '../statement.ts'
import { type StoreLock, StoreUnavailable } from '../store.ts'
import { damagedError, isDamaged } from './fault.ts'
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

function lockLost(cause: unknown): StoreUnavailable {
  if (isDamaged(cause)) return damagedError(cause)
  return new StoreUnavailable(cause instanceof Error ? cause.message : String(cause), { cause })
}

const takeLock = sql`select pg_try_advisory_lock(hashtext(current_schema()), hashtext($1))::int as taken`
const ping = sql`select 1 as one`
