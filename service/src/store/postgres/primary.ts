import { PrimaryRefused, StoreRefused, StoreUnavailable } from '../store.ts'
import { damagedError, isDamaged, refusalOf } from './fault.ts'
import { decidePrimary, type PrimaryCandidate, type PrimaryDecision, type SeenPrimary } from './fence.ts'
import { advanceEpoch, readCandidate } from './fence-row.ts'
import { lookAtHosts } from './find-primary.ts'
import { makeHostProbe } from './host-probe.ts'
import { openPrimarySession, type PrimarySession } from './host-session.ts'
import { hostLabel } from './hosts.ts'
import { makeOpenSessions } from './open-sessions.ts'
import { newestOf, noRecord, PrimaryRecordDamaged, type PrimaryRecord } from './primary-record.ts'
import type { ConnectionLoss, Session } from './session.ts'

/** The server that accepts writes, whichever of the hosts it is now. */
export interface Primary {
  /**
   * Connects to it. Throws `StoreUnavailable`, and `PrimaryRefused` while nobody can know which server is the primary; for a moment after a failure, or after
   * a connection fell silent, it throws at once, so that callers do not queue for a server that is down. The first throws `PrimaryRecordDamaged` as well.
   */
  connect(lost: () => void): Promise<Session>
  /** What an acknowledged commit survives, as of the server of the last connection. */
  readonly durability: 'local' | 'replicated'
  /** Why the server of the last connection would be refused: with `isReadOnly`, an older one is connected to. Null when it would not be. */
  readonly refusal: PrimaryRefused | null
  /** Ends the looks at the hosts, and their connections; sessions stay open. */
  close(): void
}

export interface PrimaryStart {
  readonly hosts: readonly string[]
  /** Accepts a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe: boolean
  /** The schema of its sessions; null for that of their user. */
  readonly searchPath?: string | null
  /** Where the primary that was followed last is recorded outside of the database. */
  readonly record?: PrimaryRecord
  /** Told what was found; must not throw. */
  readonly observer?: PrimaryObserver
  /**
   * Only looks: advances no epoch, records nothing, and connects to an older server when it is the only one. For the checks of a start, which say more of a
   * database that was replaced or restored than that it is older.
   */
  readonly isReadOnly?: boolean
}

export interface PrimaryObserver {
  /** Another primary, or a new epoch, is followed; or the same again after a refusal. */
  onFollowed(primary: { readonly host: string; readonly epoch: number; readonly timeline: number }): void
  /** No primary is followed until this is over. Once for each refusal. */
  onRefused(refusal: PrimaryRefused): void
}

/**
 * Follows the primary among the hosts. All of them are looked at, before the first connection and once a second, because an old primary that comes back
 * accepts writes too. A server is followed when it is the only one and not older than the one that was followed last, by the epoch of its fencing row and its
 * timeline; with one address, such as a pooler's, each connection is compared.
 */
export function makePrimary(start: PrimaryStart): Primary {
  const { hosts, allowUnsafe, searchPath = null, record = noRecord, observer, isReadOnly = false } = start
  const probes = hosts.length > 1 ? hosts.map((host) => makeHostProbe(host, searchPath)) : []
  const sessions = makeOpenSessions()
  let durability: 'local' | 'replicated' = 'local'
  let failed: { readonly at: number; readonly cause: Error } | null = null
  let seen: SeenPrimary | null = null
  let unrecorded = false
  let saving: Promise<void> | null = null
  /** The host to connect to; null when all of them have to be looked at first. */
  let followed: string | null = hosts.length === 1 ? (hosts[0] ?? null) : null
  let reported: { readonly host: string; readonly epoch: number } | null = null
  let refused: PrimaryRefused | null = null
  let watch: NodeJS.Timeout | null = null
  let closed = false

  return {
    get durability() {
      return durability
    },
    get refusal() {
      return refused
    },
    connect,
    close: () => {
      closed = true
      clearInterval(watch ?? undefined)
      watch = null
      for (const probe of probes) probe.close()
    },
  }

  async function connect(lost: () => void): Promise<Session> {
    if (failed !== null && performance.now() - failed.at < FAIL_FAST_MS) throw failed.cause
    try {
      seen ??= await record.read()
      const session = await openFollowed(lost)
      failed = null
      startWatch()
      return session
    } catch (err) {
      // It is read before the first connection only: the start is refused, and not repeated.
      if (err instanceof PrimaryRecordDamaged) throw err
      const cause = err instanceof StoreUnavailable ? err : connectError(hosts.length, err)
      failed = { at: performance.now(), cause }
      throw cause
    }
  }

  /** Opens a session with the primary that is followed; when it cannot be, looks for another. */
  async function openFollowed(lost: () => void): Promise<Session> {
    const host = followed
    if (host !== null) {
      try {
        return await open(host, lost)
      } catch (err) {
        if (probes.length === 0) throw err
        if (followed === host) followed = null
      }
    }
    // The look of every second ends the refusal; callers do not wait for a host that is silent.
    if (refused !== null && watch !== null) throw refused
    // While two servers accepted writes, one that is slow to respond counts as well.
    await findFollowed(refused !== null)
    return open(followed ?? '', lost)
  }

  async function open(host: string, lost: () => void): Promise<Session> {
    const onLost = (how: ConnectionLoss): void => {
      if (how === 'silent') failed = { at: performance.now(), cause: new StoreUnavailable('the primary fell silent') }
      // The hosts are looked at again: this one may be away, or no primary any more.
      if (probes.length > 0 && followed === host) followed = null
      lost()
    }
    const before = seen
    const opened = await openPrimarySession(host, { allowUnsafe, searchPath }, onLost)
    try {
      return await admit(opened, before)
    } catch (err) {
      opened.session.destroy()
      throw err
    }
  }

  /**
   * Compares the server of a new session with the one seen last: behind one address there may be another than before. When another session advanced the epoch
   * while this one was opened, what the server said before is no reason to refuse it: its row is read again.
   */
  async function admit({ session, durability: found, found: first }: PrimarySession, before: SeenPrimary | null): Promise<Session> {
    let candidate = first
    for (let known = before; decidePrimary([candidate], seen).kind === 'refuse' && seen !== known;) {
      known = seen
      candidate = await readCandidate(session, candidate.host)
    }
    const decision = decide([candidate])
    if (decision.kind !== 'follow') throw refuse(decision)
    const primary = isReadOnly ? candidate : await advanceEpoch(session, candidate)
    await follow(primary)
    durability = found
    sessions.add(session, primary)
    return session
  }

  /** Looks at all hosts, and follows or refuses. Throws when there is no primary to follow. */
  async function findFollowed(isPatient: boolean): Promise<void> {
    const { decision, errors } = await surveyHosts(isPatient)
    if (decision.kind === 'none') throw new AggregateError(errors.length > 0 ? errors : [new Error('a standby')])
    if (decision.kind === 'refuse') {
      const err = refuse(decision)
      followed = null
      sessions.endAll()
      throw err
    }
    followed = decision.primary.host
    sessions.endOthers(decision.primary)
  }

  /**
   * A host that drops packets keeps a look waiting for a second. When a newer primary, or the next epoch of this one, was followed in the meantime, what the
   * others said at its beginning is no reason to refuse them: they are looked at again.
   */
  async function surveyHosts(isPatient: boolean): Promise<{ decision: PrimaryDecision; errors: readonly unknown[] }> {
    for (;;) {
      const before = seen
      const { candidates, errors } = await lookAtHosts(probes, before, isPatient)
      const decision = decide(candidates)
      if (decision.kind !== 'refuse' || seen === before) return { decision, errors }
    }
  }

  function decide(candidates: readonly PrimaryCandidate[]): PrimaryDecision {
    const decision = decidePrimary(candidates, seen)
    const [only, ...others] = decision.kind === 'refuse' ? decision.found : []
    if (!isReadOnly || only === undefined || others.length > 0) return decision
    refused = refusalError(decision, seen)
    return { kind: 'follow', primary: only }
  }

  async function follow({ host, startedAt, epoch, timeline }: PrimaryCandidate): Promise<void> {
    const before = seen
    seen = newestOf(seen, { epoch, timeline })
    unrecorded ||= before === null || before.epoch !== seen?.epoch || before.timeline !== seen.timeline
    if (!isReadOnly) refused = null
    followed = host
    sessions.endOthers({ host, startedAt, epoch, timeline })
    if (reported?.host !== host || reported.epoch !== epoch) observer?.onFollowed({ host: hostLabel(host), epoch, timeline })
    reported = { host, epoch }
    await saveSeen()
  }

  /**
   * A primary is followed although it cannot be recorded at this moment; the next look records it. One save at a time, however many connections follow the
   * primary together, so that the newest is saved last.
   */
  function saveSeen(): Promise<void> {
    return hasUnrecorded() ? (saving ??= saveNewest()) : Promise.resolve()
  }

  async function saveNewest(): Promise<void> {
    try {
      for (let newest = seen; newest !== null && hasUnrecorded(); newest = seen) {
        await record.save(newest)
        if (seen === newest) unrecorded = false
      }
    } catch {
      // It stays unrecorded.
    } finally {
      saving = null
    }
  }

  function hasUnrecorded(): boolean {
    return unrecorded && !isReadOnly && seen !== null && seen.epoch > 0
  }

  function refuse(decision: PrimaryDecision): PrimaryRefused {
    const refusal = refusalError(decision, seen)
    if (refused?.reason !== refusal.reason) observer?.onRefused(refusal)
    reported = null
    return (refused = refusal)
  }

  function startWatch(): void {
    if (closed || watch !== null || isReadOnly || (probes.length === 0 && record === noRecord)) return
    let isLooking = false
    watch = setInterval(() => {
      if (isLooking) return
      isLooking = true
      lookAgain()
        .catch(() => undefined)
        .finally(() => (isLooking = false))
    }, WATCH_MS)
    watch.unref()
  }

  /** Another process may have followed a newer primary since, which this one cannot reach. */
  async function lookAgain(): Promise<void> {
    const recorded = await record.read().catch(() => null)
    seen = newestOf(seen, recorded)
    await saveSeen()
    if (probes.length > 0) await findFollowed(true)
    else if (seen !== null) sessions.endOlder(seen)
  }
}

/** Connects for the first time; when that fails, ends the looks at the hosts, because a start that waits makes another `Primary` each time. */
export async function connectOrClose(primary: Primary): Promise<Session> {
  return primary
    .connect(() => undefined)
    .catch((err: unknown) => {
      primary.close()
      throw err
    })
}

/** Connects. When the store has been closed in the meantime, ends the connection and throws `StoreUnavailable`. */
export async function connectUnless(primary: Primary, isClosed: () => boolean): Promise<Session> {
  const session = await primary.connect(() => undefined)
  if (!isClosed()) return session
  await session.end()
  throw new StoreUnavailable('the store is closed')
}

/** Refused only if every host refuses: a standby may refuse what the primary, which is down for a moment, accepts. */
export function connectError(hostCount: number, err: unknown): StoreUnavailable {
  const errors: unknown[] = err instanceof AggregateError ? err.errors : [err]
  const [refusal] = errors.map(refusalOf)
  if (refusal === undefined || refusal === null || errors.length < hostCount || errors.some((each) => refusalOf(each) === null))
    return isDamageEverywhere(errors, hostCount)
      ? damagedError(errors[0])
      : new StoreUnavailable(`no primary among ${hostCount} host(s): ${errors.map(reasonOf).join(' · ')}`)
  return new StoreRefused(refusal, reasonOf(errors[0]), { cause: errors[0] })
}

/** Whether waiting does not help, because every host found its files damaged. */
function isDamageEverywhere(errors: readonly unknown[], hostCount: number): boolean {
  return errors.length >= hostCount && errors.every(isDamaged)
}

/** The message of the driver or the server; it contains no password. */
function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  const { code, hostname } = err as NodeJS.ErrnoException & { readonly hostname?: string }
  if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname !== undefined)
    return `the host name ${hostname} cannot be resolved (${code})`
  return err.message || err.name
}

function refusalError(decision: PrimaryDecision, seen: SeenPrimary | null): PrimaryRefused {
  if (decision.kind !== 'refuse') throw new Error('there is nothing to refuse')
  const found = decision.found.map(({ host, epoch, timeline }) => `${hostLabel(host)} (epoch ${epoch}, timeline ${timeline})`).join(' and ')
  const what =
    decision.reason === 'two_primaries'
      ? `two servers accept writes: ${found}`
      : `the only server that accepts writes is older than the primary that was followed last (epoch ${seen?.epoch ?? 0}, timeline ${seen?.timeline ?? 0}): ${found}`
  return new PrimaryRefused(decision.reason, what)
}

const FAIL_FAST_MS = 250
/** Between two looks at all hosts: an old primary that comes back is noticed within this. */
const WATCH_MS = 1000
