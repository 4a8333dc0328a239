import { StoreRefused, StoreUnavailable } from '../store.ts'
import { refusalOf } from './fault.ts'
import { selectServerSettings, parseServerSettings } from './server.ts'
import { openPostgresSession } from './session.ts'
import type { ConnectionLoss, Session } from './session.ts'

/** The server that accepts writes, whichever of the hosts it is now. */
export interface Primary {
  /**
   * Connects to it. Throws `StoreUnavailable`; for a moment after a failure, or after a connection fell silent, it throws at once, so that callers
   * do not queue for a server that is down.
   */
  connect(lost: () => void): Promise<Session>
  /** What an acknowledged commit survives, as of the server of the last connection. */
  readonly durability: 'local' | 'replicated'
}

export interface PrimaryStart {
  readonly hosts: readonly string[]
  /** Accepts a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe: boolean
}

/** Connects to all hosts at once, so that a silent one costs no time, and uses the first that is not a standby. */
export function makePrimary({ hosts, allowUnsafe }: PrimaryStart): Primary {
  let durability: 'local' | 'replicated' = 'local'
  let failed: { readonly at: number; readonly cause: Error } | null = null

  return {
    get durability() {
      return durability
    },
    connect: async (lost) => {
      if (failed !== null && performance.now() - failed.at < FAIL_FAST_MS) throw failed.cause
      const onLost = (how: ConnectionLoss): void => {
        if (how === 'silent') failed = { at: performance.now(), cause: new StoreUnavailable('the primary fell silent') }
        lost()
      }
      const attempts = hosts.map((host) => openPrimary(host, allowUnsafe, onLost))
      try {
        const found = await Promise.any(attempts)
        endOthers(attempts, found)
        failed = null
        durability = found.durability
        return found.session
      } catch (err) {
        const cause = connectError(hosts.length, err)
        failed = { at: performance.now(), cause }
        throw cause
      }
    },
  }
}

/** Connects. When the store has been closed in the meantime, ends the connection and throws `StoreUnavailable`. */
export async function connectUnless(primary: Primary, isClosed: () => boolean): Promise<Session> {
  const session = await primary.connect(() => undefined)
  if (!isClosed()) return session
  await session.end()
  throw new StoreUnavailable('the store is closed')
}

interface PrimarySession {
  readonly session: Session
  readonly durability: 'local' | 'replicated'
}

async function openPrimary(host: string, allowUnsafe: boolean, lost: (how: ConnectionLoss) => void): Promise<PrimarySession> {
  let taken = false
  const session = await openPostgresSession(host, (how) => {
    if (taken) lost(how)
  })
  try {
    const [row] = await session.query(selectServerSettings, [])
    if (row === undefined) throw new Error('the server returned no settings')
    const { commit, durability } = parseServerSettings(row, allowUnsafe)
    await session.execute(`set synchronous_commit = '${commit}'; ${sessionSettings}`)
    taken = true
    return { session, durability }
  } catch (err) {
    session.destroy()
    throw err
  }
}

function endOthers(attempts: readonly Promise<PrimarySession>[], found: PrimarySession): void {
  for (const attempt of attempts) {
    attempt.then(
      (opened) => {
        if (opened !== found) opened.session.destroy()
      },
      () => undefined,
    )
  }
}

/** Refused only if every host refuses: a standby may refuse what the primary, which is down for a moment, accepts. */
export function connectError(hostCount: number, err: unknown): StoreUnavailable {
  const errors: unknown[] = err instanceof AggregateError ? err.errors : [err]
  const [refusal] = errors.map(refusalOf)
  if (refusal === undefined || refusal === null || errors.some((each) => refusalOf(each) === null))
    return new StoreUnavailable(`no primary among ${hostCount} host(s): ${errors.map(reasonOf).join(' · ')}`)
  return new StoreRefused(refusal, reasonOf(errors[0]), { cause: errors[0] })
}

/** The message of the driver or the server; it contains no password. */
function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  const { code, hostname } = err as NodeJS.ErrnoException & { readonly hostname?: string }
  if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname !== undefined)
    return `the host name ${hostname} cannot be resolved (${code})`
  return err.message || err.name
}

// No statement_timeout: it would cancel a COMMIT that waits for its standby, which then counts as done without being replicated.
const sessionSettings = `
  set default_transaction_isolation = 'read committed';
  set lock_timeout = '1000ms';
  set idle_in_transaction_session_timeout = '10s'`

const FAIL_FAST_MS = 250

/**
 * Splits a URL that names several hosts (`postgres://user:password@one:5432,two:5432/name`) into one URL per host, since the driver supports one host only.
 * Throws when it is not a PostgreSQL URL; the message never contains the URL, since that has a password.
 */
export function readHosts(url: string): readonly string[] {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url)
  if (match === null) throw new Error('the database URL does not start with postgres://')
  const [, before = '', hosts = '', rest = ''] = match
  const named = hosts.split(',').map((host) => host.trim())
  if (named.length > HOSTS_MAX) throw new Error(`the database URL names more than ${HOSTS_MAX} hosts`)
  if (named.length > 1 && named.includes('')) throw new Error('the database URL has a host without a name')
  return named.map((host) => before + host + rest)
}

const HOSTS_MAX = 8
