import { StoreUnavailable } from '../store.ts'
import { askServer, readServer } from './server.ts'
import { openSession } from './session.ts'
import type { Lost, Session } from './session.ts'

/** The server that takes writes, wherever among the hosts it is now. */
export interface Primary {
  /**
   * Connects to it. Throws `StoreUnavailable`; for a moment after a failure, or after a connection fell silent, at once, so that callers do not
   * queue up before a closed door, and nobody waits for a silent server twice.
   */
  connect(lost: () => void): Promise<Session>
  /** What an acknowledged commit survives, by the server that was connected to last. */
  readonly durability: 'local' | 'replicated'
}

export interface PrimaryStart {
  readonly hosts: readonly string[]
  /** Takes a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe: boolean
}

/** Looks at all hosts at once, so that a silent one costs nothing, and takes the first that is no standby. */
export function makePrimary({ hosts, allowUnsafe }: PrimaryStart): Primary {
  let durability: 'local' | 'replicated' = 'local'
  let failed: { readonly at: number; readonly cause: Error } | null = null

  return {
    get durability() {
      return durability
    },
    connect: async (lost) => {
      if (failed !== null && performance.now() - failed.at < FAIL_FAST_MS) throw failed.cause
      const ended = (how: Lost): void => {
        if (how === 'silent') failed = { at: performance.now(), cause: new StoreUnavailable('the primary fell silent') }
        lost()
      }
      const attempts = hosts.map((host) => openPrimary(host, allowUnsafe, ended))
      try {
        const found = await Promise.any(attempts)
        endOthers(attempts, found)
        failed = null
        durability = found.durability
        return found.session
      } catch (err) {
        const cause = new StoreUnavailable(`no primary among ${hosts.length} host(s): ${reasons(err)}`)
        failed = { at: performance.now(), cause }
        throw cause
      }
    },
  }
}

/** Connects, unless the store is closed by then: the connection is ended then, and `StoreUnavailable` thrown. */
export async function connectUnless(primary: Primary, isClosed: () => boolean): Promise<Session> {
  const session = await primary.connect(() => undefined)
  if (!isClosed()) return session
  await session.end()
  throw new StoreUnavailable('the store is closed')
}

interface Opened {
  readonly session: Session
  readonly durability: 'local' | 'replicated'
}

async function openPrimary(host: string, allowUnsafe: boolean, lost: (how: Lost) => void): Promise<Opened> {
  let taken = false
  const session = await openSession(host, (how) => {
    if (taken) lost(how)
  })
  try {
    const [row] = await session.ask(askServer, [])
    if (row === undefined) throw new Error('the server tells no settings')
    const { commit, durability } = readServer(row, allowUnsafe)
    await session.say(`set synchronous_commit = '${commit}'; ${sessionSettings}`)
    taken = true
    return { session, durability }
  } catch (err) {
    session.destroy()
    throw err
  }
}

function endOthers(attempts: readonly Promise<Opened>[], found: Opened): void {
  for (const attempt of attempts) {
    attempt.then(
      (opened) => {
        if (opened !== found) opened.session.destroy()
      },
      () => undefined,
    )
  }
}

/** The messages of the driver and the server; they name no password. */
function reasons(err: unknown): string {
  const errors: unknown[] = err instanceof AggregateError ? err.errors : [err]
  return errors.map((each) => (each instanceof Error ? each.message || each.name : String(each))).join(' · ')
}

// No statement_timeout: it would cancel a COMMIT that waits for its standby, which then counts as done without being replicated.
const sessionSettings = `
  set default_transaction_isolation = 'read committed';
  set lock_timeout = '1500ms';
  set idle_in_transaction_session_timeout = '10s'`

const FAIL_FAST_MS = 250
