import type { PrimaryCandidate } from './fence.ts'
import { readCandidate } from './fence-row.ts'
import { parseServerSettings, selectServerSettings, type ServerSettings } from './server.ts'
import { openPostgresSession, type ConnectionLoss, type Session } from './session.ts'
import { sessionLockMs } from './transaction.ts'

export interface HostSessionOptions {
  /** Accepts a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe: boolean
  /** The schema that the session uses; null for that of its user. */
  readonly searchPath: string | null
}

/** A session with a server that accepts writes, and what the server says of itself. */
export interface PrimarySession {
  readonly session: Session
  readonly durability: ServerSettings['durability']
  readonly found: PrimaryCandidate
}

/** Connects to one host. Throws when it is a standby, or a server that may lose what it acknowledged. */
export async function openPrimarySession(
  host: string,
  { allowUnsafe, searchPath }: HostSessionOptions,
  lost: (how: ConnectionLoss) => void,
): Promise<PrimarySession> {
  let taken = false
  const session = await openPostgresSession(host, (how) => {
    if (taken) lost(how)
  })
  try {
    const [row] = await session.query(selectServerSettings, [])
    if (row === undefined) throw new Error('the server returned no settings')
    const { commit, durability } = parseServerSettings(row, allowUnsafe)
    await session.execute(`set synchronous_commit = '${commit}'; ${sessionSettings}`)
    if (searchPath !== null) await session.execute(`set search_path = ${searchPath}`)
    const found = await readCandidate(session, host)
    taken = true
    return { session, durability, found }
  } catch (err) {
    session.destroy()
    throw err
  }
}

/** A process that hangs, or a machine that is gone, has rows locked until the server ends its session: no longer than others wait for one of them. */
const idleMs = sessionLockMs

// No statement_timeout: it would cancel a COMMIT that waits for its standby, which then counts as done without being replicated.
const sessionSettings = `
  set default_transaction_isolation = 'read committed';
  set lock_timeout = '${sessionLockMs}ms';
  set idle_in_transaction_session_timeout = '${idleMs}ms'`
