import { readInteger } from '../columns.ts'
import { sql } from '../statement.ts'
import { StoreUnavailable } from '../store.ts'
import type { PrimaryCandidate } from './fence.ts'
import { readCandidate } from './fence-row.ts'
import { openPostgresSession, type Session } from './session.ts'

/** Looks at one host again and again, on a connection of its own. */
export interface HostProbe {
  /** What the host says of itself when it accepts writes; null when it is a standby. Rejects when it does not respond within a second or two. */
  look(): Promise<PrimaryCandidate | null>
  /** Ends its connection; a look in progress, and every later one, rejects. */
  close(): void
}

export function makeHostProbe(host: string, searchPath: string | null): HostProbe {
  let session: Session | null = null
  let looking: Promise<PrimaryCandidate | null> | null = null
  let closed = false
  const isClosed = (): boolean => closed
  return { look: () => (looking ??= readRole().finally(() => (looking = null))), close }

  async function readRole(): Promise<PrimaryCandidate | null> {
    try {
      const open = session?.usable === true ? session : await connect()
      const [row] = await open.query(selectStandby, [], PROBE_MS)
      return row !== undefined && readInteger(row, 'standby') === 0 ? await readCandidate(open, host) : null
    } catch (err) {
      disconnect()
      throw err
    }
  }

  async function connect(): Promise<Session> {
    if (isClosed()) throw new StoreUnavailable('the look at the host was ended')
    session = await openPostgresSession(host, () => undefined)
    if (isClosed()) throw new StoreUnavailable('the look at the host was ended')
    if (searchPath !== null) await session.execute(`set search_path = ${searchPath}`)
    return session
  }

  function close(): void {
    closed = true
    disconnect()
  }

  function disconnect(): void {
    session?.destroy()
    session = null
  }
}

const selectStandby = sql`select case when pg_is_in_recovery() then 1 else 0 end as standby`
/** A host that does not respond for longer counts as away. */
const PROBE_MS = 1000
