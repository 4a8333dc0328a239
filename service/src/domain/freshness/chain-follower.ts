import type { Clock } from '../../clock.ts'
import { type AuditHead, type AuditRow, listAuditEntries, listAuditHeads } from '../../store/audit.ts'
import { emptyChain } from '../../store/audit-chain.ts'
import { RowBroken } from '../../store/columns.ts'
import type { Store } from '../../store/store.ts'
import type { RowVersion } from '../../store/table.ts'

import type { Anchors } from './anchors.ts'
import { DatabaseRestored } from './database-restored.ts'
import { ObjectVersions } from './object-versions.ts'

/** Follows the audit chains of all processes, and so knows the newest version of every object that was changed. */
export interface ChainFollower {
  /** The objects whose newest version is above 1. */
  readonly versions: ObjectVersions
  /** Whether a version of the object was read in the last seconds. */
  isRecent(subject: string): boolean
  /** Reads what is new. Every entry that was committed before the call has been read when it resolves. */
  catchUp(): Promise<void>
  /** One run of the background job: reads what is new and records how far it came. */
  runOnce(): Promise<number>
  /** Records how far it came, and the versions, for the end of the process. What this process committed is known without reading. */
  close(): Promise<void>
}

export interface ChainFollowerDependencies {
  readonly store: Pick<Store, 'read' | 'watchAudit'>
  /** Whether an entry continues its chain (ops/audit/link-check.ts). */
  readonly isLinked: (before: AuditHead, entry: AuditRow) => Promise<boolean> | boolean
  readonly anchors: Anchors
  readonly clock: Clock
  readonly log: FollowerLog
  /** Called once for each entry that does not continue its chain; must not throw. */
  readonly onFault: (fault: ChainBreak) => void
  /** Accepts a database that is older than what was recorded, or whose audit has faults: an operator said so. */
  readonly acceptsRestored?: boolean
}

export interface FollowerLog {
  info(event: string, fields: { readonly count?: number; readonly left?: number }): void
  warn(event: string, fields: { readonly err?: unknown }): void
}

/** Where a chain in the database differs from what this service read or wrote. */
export interface ChainBreak {
  readonly chain: string
  readonly seq: number
  /** `cut`: an entry that was read is gone. `rewritten`: it is another one. `edited`: an entry is not linked to the one before it. */
  readonly fault: 'cut' | 'rewritten' | 'edited'
}

/**
 * Continues at the stored versions and reads the audit up to its end. Throws `DatabaseRestored` when the audit is older than what was recorded outside of
 * the database, or has a fault before that place: then an entry that says what is newest may be missing.
 */
export async function openChainFollower(deps: ChainFollowerDependencies): Promise<ChainFollower> {
  const { store, isLinked, anchors, clock, log, onFault, acceptsRestored = false } = deps
  const versions = new ObjectVersions()
  let recent = { now: new ObjectVersions(), before: new ObjectVersions() }
  const positions = new Map<string, AuditHead>()
  /** The last heads of chains that were cut. They stay recorded, so that the next start is refused too. */
  const cut = new Map<string, AuditHead>()
  const reported = new Set<string>()
  let isStarting = true
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null
  let savedAt = clock.moment().monotonicMs
  let unsaved = 0
  let unstored = 0
  let loggedAt = savedAt

  // What this process commits is known before it is acknowledged, and need not be read back.
  store.watchAudit(({ before, after, versions: committed, isBehindCut }) => {
    for (const version of committed) raise(version, true)
    if (isBehindCut) reportCut(before, undefined)
    const position = positions.get(after.chain) ?? emptyChain(after.chain)
    if (position.seq !== before.seq || !isSame(position.hash, before.hash)) return
    positions.set(after.chain, after)
    unsaved += after.seq - before.seq
    unstored += after.seq - before.seq
  })

  const anchored = acceptsRestored ? null : await anchors.readHeads()
  for (const head of anchored ?? []) await requireEntry(store, head)
  /** Up to here the audit has to be without a fault. */
  const anchoredSeq = new Map((anchored ?? []).map(({ chain, seq }) => [chain, seq]))
  if (!acceptsRestored) await loadSnapshot()
  await follow()
  isStarting = false
  if (anchored === null) await saveHeads()

  return Object.freeze({
    versions,
    isRecent: (subject: string) => recent.now.get(subject) > 0 || recent.before.get(subject) > 0,
    catchUp,
    runOnce,
    close,
  })

  /** A look that has begun may have missed what was committed since; callers share the next one. */
  function catchUp(): Promise<void> {
    if (running === null) return (running = follow().finally(() => (running = null)))
    return (waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = null
        return catchUp()
      }))
  }

  async function runOnce(): Promise<number> {
    await catchUp()
    if (clock.moment().monotonicMs - savedAt >= anchorEveryMs) {
      savedAt = clock.moment().monotonicMs
      recent = { now: new ObjectVersions(), before: recent.now }
      if (unsaved > 0) await saveHeads()
      if (unstored >= snapshotEvery) await storeSnapshot()
    }
    return 0
  }

  async function saveHeads(): Promise<void> {
    const saving = unsaved
    await anchors.saveHeads([...positions.values()].map((position) => cut.get(position.chain) ?? position))
    unsaved -= saving
  }

  async function storeSnapshot(): Promise<void> {
    const storing = unstored
    await anchors.saveSnapshot({ heads: [...positions.values()], versions: versions.toBytes() })
    unstored -= storing
  }

  async function close(): Promise<void> {
    if (unsaved > 0) await saveHeads().catch((err: unknown) => log.warn('row_versions_not_saved', { err }))
    if (unstored > 0 || acceptsRestored) await storeSnapshot().catch((err: unknown) => log.warn('row_versions_not_saved', { err }))
  }

  async function follow(): Promise<void> {
    // As they were before the heads were read: this process goes on committing.
    const known = [...positions.values()]
    const heads = new Map((await listAuditHeads(store)).map((head) => [head.chain, head]))
    for (const position of known) compareHead(position, heads.get(position.chain))
    for (const head of heads.values()) {
      const from = positions.get(head.chain) ?? emptyChain(head.chain)
      if (head.seq > from.seq) await followChain(from)
    }
  }

  /** Entries that were read are still there: the end of the chain is this entry, or a later one. */
  function compareHead(position: AuditHead, head: AuditHead | undefined): void {
    if (head !== undefined && head.seq > position.seq) return
    if (head !== undefined && head.seq === position.seq && isKnownEntry(position, head)) return
    reportCut(position, head)
  }

  /** Reports that the entry at a position is gone, or another one. */
  function reportCut(position: AuditHead, found: Pick<AuditHead, 'seq'> | undefined): void {
    if (!cut.has(position.chain)) unsaved += 1
    cut.set(position.chain, cut.get(position.chain) ?? position)
    report({ chain: position.chain, seq: position.seq, fault: found?.seq === position.seq ? 'rewritten' : 'cut' })
  }

  /** Once for each entry. While a start reads, a fault up to the recorded head means that a newest version may be missing. */
  function report(found: ChainBreak): void {
    const { chain, seq, fault } = found
    if (isStarting && seq <= (anchoredSeq.get(chain) ?? 0)) throw new DatabaseRestored({ chain, seq })
    const id = `${chain} ${String(seq)} ${fault}`
    if (reported.has(id) || reported.size >= maxReported) return
    reported.add(id)
    onFault(found)
  }

  /** Reads the entries behind a position. The entry at the position is read again with them: it must still be there. */
  async function followChain(from: AuditHead): Promise<void> {
    for (let position = from; ;) {
      const page = await readPage(position)
      const [first] = page
      if (isRead(position) && (first === undefined || first.seq !== position.seq || !isSame(first.hash, position.hash)))
        reportCut(position, first)
      let end = position
      for (const entry of first?.seq === position.seq ? page.slice(1) : page) {
        await followEntry(end, entry)
        end = headOf(entry)
      }
      position = end
      // What this process has committed meanwhile is newer.
      if ((positions.get(position.chain)?.seq ?? 0) < position.seq) positions.set(position.chain, position)
      logProgress()
      if (page.length < pageLength) return
      await nextTurn()
    }
  }

  /** Only what is linked to the entry before was written by a service with the keys. */
  async function followEntry(position: AuditHead, entry: AuditRow): Promise<void> {
    unsaved += 1
    unstored += 1
    const linked = isLinked(position, entry)
    if (!(linked instanceof Promise ? await linked : linked)) report({ chain: entry.chain, seq: entry.seq, fault: 'edited' })
    else raise(entry, !isStarting)
  }

  function raise({ subject, version }: RowVersion, isNew: boolean): void {
    if (version <= 1 || subject === '') return
    versions.raise(subject, version)
    if (isNew) recent.now.raise(subject, version)
  }

  /** A page from a position on. An entry that cannot be read is a fault; the page then ends before it, or begins behind it. */
  async function readPage(position: AuditHead): Promise<AuditRow[]> {
    const { chain, seq } = position
    const after = isRead(position) ? seq - 1 : seq
    try {
      return await store.read(listAuditEntries(chain, after, pageLength))
    } catch (err) {
      if (!(err instanceof RowBroken)) throw err
    }
    const readable: AuditRow[] = []
    for (let at = after; readable.length < pageLength;) {
      try {
        const [entry] = await store.read(listAuditEntries(chain, at, 1))
        if (entry === undefined) break
        readable.push(entry)
        at = entry.seq
      } catch (err) {
        if (!(err instanceof RowBroken)) throw err
        at += 1
        report({ chain, seq: at, fault: 'edited' })
      }
    }
    return readable
  }

  function logProgress(): void {
    if (!isStarting || clock.moment().monotonicMs - loggedAt < logEveryMs) return
    loggedAt = clock.moment().monotonicMs
    log.info('row_versions_loading', { count: unstored })
  }

  async function loadSnapshot(): Promise<void> {
    const snapshot = await anchors.readSnapshot()
    if (snapshot === null) return
    for (const head of snapshot.heads) await requireEntry(store, head)
    versions.add(snapshot.versions)
    for (const head of snapshot.heads) positions.set(head.chain, head)
  }
}

/** Throws `DatabaseRestored` unless the database has a head that the service recorded outside of it. */
async function requireEntry(store: Pick<Store, 'read'>, head: AuditHead): Promise<void> {
  if (head.seq === 0) return
  const [entry] = await store.read(listAuditEntries(head.chain, head.seq - 1, 1)).catch((err: unknown) => {
    if (err instanceof RowBroken) return []
    throw err
  })
  if (entry === undefined || entry.seq !== head.seq || !isSame(entry.hash, head.hash)) throw new DatabaseRestored(head)
}

/** Whether an entry was read up to this position, with its hash. */
function isRead({ seq, hash }: AuditHead): boolean {
  return seq > 0 && hash.length > 0
}

function isKnownEntry(position: AuditHead, head: AuditHead): boolean {
  return position.hash.length === 0 || isSame(position.hash, head.hash)
}

function headOf({ chain, seq, hash }: AuditRow): AuditHead {
  return { chain, seq, hash }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

/** Lets requests run between two pages. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const pageLength = 250
/** How far the audit was read is recorded outside of the database so often. */
const anchorEveryMs = 10_000
/** The versions are stored after so many entries, so that a start after a crash has few to read. */
const snapshotEvery = 20_000
const logEveryMs = 10_000
const maxReported = 1000
