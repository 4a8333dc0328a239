import type { Keyring } from '@tessera/vault/keyring'

import type { CheckpointDestination } from '../../adapters/checkpoints/checkpoint-destination.ts'
import type { Clock } from '../../clock.ts'
import { type AuditHead, listAuditHeads } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { signCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { makeDestinationQueue, type CheckpointReports } from './destination-queue.ts'
import { makeAuditSigners } from './signers.ts'
import { makeTailCheck } from './tail-check.ts'

/** Exports signed checkpoints of the audit chains outside of the database, and compares the chains with what it exported. */
export interface CheckpointExporter {
  /** Exports a checkpoint when one is due. The first call compares the chains with the last checkpoint that a destination has. Never throws. */
  runOnce(): Promise<void>
  /** Exports what was committed since the last checkpoint, at the end of the process. */
  flush(): Promise<void>
  /** The heads of the last checkpoints, of this process and of the one before it. */
  knownHeads(): readonly AuditHead[]
  /** Signs the heads of all chains as they are now. */
  sign(): Promise<SignedCheckpoint>
  /** Checkpoints that wait for a destination. */
  waitingCount(): number
  /** Destinations whose last attempt failed. */
  failingDestinations(): readonly string[]
}

export interface CheckpointSettings {
  /** A checkpoint is due after this many entries … */
  readonly entries: number
  /** … and after this time, when there is an entry. */
  readonly everyMs: number
}

export interface CheckpointExporterDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly destinations: readonly CheckpointDestination[]
  readonly settings: CheckpointSettings
  readonly reports: CheckpointReports
}

export function makeCheckpointExporter(deps: CheckpointExporterDependencies): CheckpointExporter {
  const { store, keyring, clock, environment, destinations, settings, reports } = deps
  const queues = destinations.map((destination) => makeDestinationQueue(destination, { clock, reports }))
  const signers = makeAuditSigners(keyring)
  const tail = makeTailCheck({ store, keyring, reports })
  /** What was exported last, by chain. */
  const exported = new Map<string, AuditHead>()
  let exportedAt = -Infinity
  let hasStarted = false
  let retryAt = -Infinity
  let checkedAt = -Infinity

  return Object.freeze({ runOnce, flush, knownHeads, sign, waitingCount, failingDestinations })

  async function runOnce(): Promise<void> {
    if (clock.moment().monotonicMs >= retryAt) {
      try {
        if (!hasStarted) await compareWithLast()
        if (isDue()) await exportHeads()
        else await checkExported()
      } catch (err) {
        retryAt = clock.moment().monotonicMs + retryMs
        reports.onError(err)
      }
    }
    for (const queue of queues) void queue.send()
  }

  async function compareWithLast(): Promise<void> {
    const lines = await Promise.all(destinations.map(readLines))
    const heads = await tail.compareWithLast(lines.flat(), await signers.publicKeys(), environment)
    for (const head of heads) exported.set(head.chain, head)
    hasStarted = true
    // With the chains of processes that ended.
    await exportHeads(await listAuditHeads(store))
  }

  /** A file that cannot be read does not keep the service from starting; that it cannot be compared is reported. */
  async function readLines({ name, readLast }: CheckpointDestination): Promise<readonly string[]> {
    try {
      return (await readLast?.()) ?? []
    } catch (err) {
      reports.onFailed(name, { err, isFirst: true })
      return []
    }
  }

  function isDue(): boolean {
    let entries = 0
    for (const { chain, seq } of store.auditHeads()) entries += Math.max(0, seq - (exported.get(chain)?.seq ?? 0))
    return entries > 0 && (entries >= settings.entries || clock.moment().monotonicMs - exportedAt >= settings.everyMs)
  }

  /** What was exported has to stay, also while nothing is written. */
  async function checkExported(): Promise<void> {
    const now = clock.moment().monotonicMs
    if (now - Math.max(checkedAt, exportedAt) < settings.everyMs) return
    checkedAt = now
    for (const { chain } of store.auditHeads()) {
      const head = exported.get(chain)
      if (head !== undefined) await tail.check(head, head)
    }
  }

  async function exportHeads(others: readonly AuditHead[] = []): Promise<void> {
    store.setAuditKey(await keyring.active('audit'))
    const own = store.auditHeads()
    const all = mergeHeads([...exported.values()], [...others, ...own].filter(isNewer))
    const heads = all.length <= maxChains || others.length > 0 ? all : all.filter(({ chain }) => own.some((head) => head.chain === chain))
    if (heads.length === 0) return
    const changed = heads.filter(({ chain, seq }) => exported.get(chain)?.seq !== seq)
    for (const head of changed) await tail.check(exported.get(head.chain), head)
    exportedAt = clock.moment().monotonicMs
    for (const head of heads) exported.set(head.chain, head)
    const { line } = signCheckpoint(await signers.active(), { environment, at: new Date(clock.now()).toISOString(), heads })
    for (const queue of queues) queue.add(line)
  }

  /** A chain that is shorter than what was exported of it was cut off, also when it is continued: what was signed is what it has to have. */
  function isNewer({ chain, seq }: AuditHead): boolean {
    return seq > (exported.get(chain)?.seq ?? 0)
  }

  async function flush(): Promise<void> {
    try {
      if (hasStarted && store.auditHeads().some(isNewer)) await exportHeads()
    } catch (err) {
      reports.onError(err)
    }
    await Promise.all(queues.map((queue) => queue.close()))
  }

  function knownHeads(): readonly AuditHead[] {
    return [...tail.lastHeads(), ...exported.values()]
  }

  async function sign(): Promise<SignedCheckpoint> {
    const heads = mergeHeads(await listAuditHeads(store), store.auditHeads())
    return signCheckpoint(await signers.active(), { environment, at: new Date(clock.now()).toISOString(), heads })
  }

  function failingDestinations(): readonly string[] {
    return destinations.filter((_, at) => queues[at]?.isFailing()).map(({ name }) => name)
  }

  function waitingCount(): number {
    return queues.reduce((sum, queue) => sum + queue.waitingCount(), 0)
  }
}

/** Of several heads of a chain the last counts: what this process committed and not what the database says. */
function mergeHeads(stored: readonly AuditHead[], newer: readonly AuditHead[]): AuditHead[] {
  const heads = new Map([...stored, ...newer].map((head) => [head.chain, head]))
  return [...heads.values()].sort((a, b) => (a.chain < b.chain ? -1 : 1))
}

/** With more chains, those of processes that ended are in the first checkpoint of a process only, so that a line fits into a datagram. */
const maxChains = 32
/** After an error, such as a database that does not respond. */
const retryMs = 10_000
