import { existsSync } from 'node:fs'

import type { Keyring } from '@tessera/vault/keyring'

import { type AuditHead, findAuditEntry, listAuditHeads } from '../../store/audit.ts'
import type { DatabaseInspection } from '../../store/inspection.ts'
import { checkIntegrity, type IntegrityReport } from '../../store/integrity.ts'
import type { MacTableKind } from '../../store/mac-tables.ts'
import { listOrphans, parentRelations } from '../../store/orphans.ts'
import { type Store, StoreDamaged } from '../../store/store.ts'
import type { Walk } from '../../store/walk.ts'

import { findBoundary } from './boundary.ts'
import { findMissingKeys } from './named-keys.ts'
import { checkRows, makeMacOf, type RowFault } from './rows.ts'
import { isSame, verifyChain, verifyChainEnd, type ChainFaultKind } from './verify.ts'

/** The result of a check of the store: what was looked at, and what was found. */
export interface StoreReport {
  /** Tables or indexes whose pages were checked, and how. */
  readonly integrity: { readonly checked: number; readonly method: IntegrityReport['method'] | 'none' }
  /** Ids of keys that rows name. */
  readonly keys: number
  readonly chains: number
  readonly entries: number
  /** Rows whose MACs were compared, by kind. */
  readonly rows: Readonly<Record<MacTableKind, number>>
  /** Relations of children and parents. */
  readonly relations: number
  readonly findings: readonly StoreFinding[]
  /** Whether the check stopped at the maximum number of findings. */
  readonly more: boolean
}

export type StoreFinding =
  | { readonly kind: 'chain'; readonly chain: string; readonly seq: number; readonly what: string }
  | (Omit<RowFault, 'kind'> & { readonly kind: RowFault['kind'] | 'key' | 'orphan' | 'request_log' })

export interface StoreCheckDependencies {
  readonly store: Pick<Store, 'kind' | 'file' | 'read'>
  /** The file of the embedded request log; null where it is in the database. */
  readonly requestLogFile: string | null
  /** Opens the database of the keys for reading. */
  readonly openKeyStore: () => Promise<Pick<DatabaseInspection, 'file' | 'hasSchema' | 'read' | 'close'>>
  readonly keyring: Pick<Keyring, 'active' | 'byId' | 'list' | 'read'>
  readonly environment: string
  /** Heads that were recorded outside of the database, or that this process committed itself. */
  readonly knownHeads: readonly AuditHead[]
  readonly walk: Walk
}

/** What a check consists of. Each stage is one part of the truth about the store; `tessera audit verify` runs some of them. */
const stages = {
  integrity: checkFiles,
  keys: checkKeys,
  chains: checkChains,
  rows: checkAllRows,
  orphans: checkOrphans,
  ends: checkChainEnds,
}

export type StoreCheckStage = keyof typeof stages

/** The stages of `tessera store check`, in their order. */
export const allStages: readonly StoreCheckStage[] = ['integrity', 'keys', 'chains', 'rows', 'orphans']
/** The stages of `tessera audit verify`. */
export const auditStages: readonly StoreCheckStage[] = ['integrity', 'chains', 'rows']
/** The stages of `tessera doctor`: what takes a moment however large the store is. */
export const quickStages: readonly StoreCheckStage[] = ['ends']

/**
 * Checks a store while it is used. A table that cannot be read is a finding, and the other tables are checked all the same; errors of the connection are
 * thrown, and so is the reason of a cancelled walk.
 */
export async function checkStore(deps: StoreCheckDependencies, wanted: readonly StoreCheckStage[]): Promise<StoreReport> {
  const check = new StoreCheck(deps)
  for (const stage of wanted) {
    if (check.isFull) break
    try {
      await stages[stage](check)
    } catch (err) {
      if (!(err instanceof StoreDamaged)) throw err
      check.addDamage('', err.message)
    }
  }
  return check.report()
}

/** What the stages of one check share. */
class StoreCheck {
  readonly deps: StoreCheckDependencies
  readonly counts = {
    integrity: { checked: 0, method: 'none' as IntegrityReport['method'] | 'none' },
    keys: 0,
    chains: 0,
    entries: 0,
    relations: 0,
  }
  readonly rows: Record<MacTableKind, number> = {
    card: 0,
    receipt: 0,
    merchant: 0,
    user: 0,
    endpoint: 0,
    form_session: 0,
    session: 0,
    row: 0,
  }
  readonly #findings: StoreFinding[] = []

  constructor(deps: StoreCheckDependencies) {
    this.deps = deps
  }

  get isFull(): boolean {
    return this.#findings.length >= findingsMax
  }

  add(finding: StoreFinding): void {
    this.#findings.push(finding)
  }

  addDamage(table: string, what: string): void {
    this.add({ kind: 'integrity', table, id: '', merchantId: '', what })
  }

  report(): StoreReport {
    return { ...this.counts, rows: this.rows, findings: this.#findings.slice(0, findingsMax), more: this.isFull }
  }
}

async function checkFiles(check: StoreCheck): Promise<void> {
  const { store, walk } = check.deps
  const { checked, method, faults } = await checkIntegrity(store, walk)
  check.counts.integrity = { checked, method }
  for (const { table, what } of faults) check.addDamage(table, what)
  await checkKeyStoreFiles(check)
  await checkRequestLogFile(check)
}

/** A kind of its own: the service sets a damaged request log aside and goes on, and no card or payment is in it. */
async function checkRequestLogFile(check: StoreCheck): Promise<void> {
  const { requestLogFile: file, walk } = check.deps
  if (file === null || !existsSync(file)) return
  const read = (): Promise<never> => Promise.reject(new Error('a file is read by a process of its own'))
  try {
    const { checked, faults } = await checkIntegrity({ file, read }, walk)
    check.counts.integrity.checked += checked
    for (const { table, what } of faults) check.add({ kind: 'request_log', table, id: '', merchantId: '', what })
  } catch (err) {
    if (!(err instanceof StoreDamaged)) throw err
    check.add({ kind: 'request_log', table: '', id: '', merchantId: '', what: err.message })
  }
}

async function checkKeyStoreFiles(check: StoreCheck): Promise<void> {
  const { openKeyStore, walk } = check.deps
  const keyStore = await openKeyStore()
  try {
    if (!keyStore.hasSchema) return
    const { checked, faults } = await checkIntegrity(keyStore, walk)
    check.counts.integrity.checked += checked
    for (const { table, what } of faults) check.addDamage(table, `key store: ${what}`)
  } finally {
    await keyStore.close()
  }
}

async function checkKeys(check: StoreCheck): Promise<void> {
  const { named, missing } = await findMissingKeys(check.deps)
  check.counts.keys = named
  for (const { table, keyId, what } of missing) check.add({ kind: 'key', table, id: keyId, merchantId: '', what })
}

/** Every chain from its first entry to its end, which is at or behind every known head. */
async function checkChains(check: StoreCheck): Promise<void> {
  const { store, keyring: keys, knownHeads, walk } = check.deps
  const { boundary } = await findBoundary(store, keys)
  const unkeyed = boundary?.heads ?? []
  if (boundary === null) check.add({ kind: 'chain', chain: '', seq: 0, what: noBoundaryText })
  const known = [...unkeyed, ...knownHeads]
  const heads = [...(await listAuditHeads(store)), ...known]
  const lastSeq = new Map<string, number>()
  for (const { chain, seq } of heads) lastSeq.set(chain, Math.max(seq, lastSeq.get(chain) ?? 0))
  walk.begin(
    'audit entries',
    [...lastSeq.values()].reduce((sum, seq) => sum + seq, 0),
  )
  for (const chain of lastSeq.keys()) {
    const unkeyedUntil = unkeyed.find((head) => head.chain === chain)?.seq ?? 0
    const report = await verifyChain(chain, { store, keys, known, unkeyedUntil, walk })
    check.counts.entries += report.entries
    for (const { seq, fault } of report.faults) check.add({ kind: 'chain', chain, seq, what: chainFaultTexts[fault] })
  }
  check.counts.chains = lastSeq.size
}

/** The newest entries of every chain, and whether every known head is in its chain. */
async function checkChainEnds(check: StoreCheck): Promise<void> {
  const { store, keyring: keys, knownHeads: known, walk } = check.deps
  const { boundary } = await findBoundary(store, keys)
  const heads = await listAuditHeads(store)
  walk.begin('ends of the audit chains', heads.length)
  for (const { chain, seq } of heads) {
    const unkeyedUntil = boundary?.heads.find((head) => head.chain === chain)?.seq ?? 0
    const report = await verifyChainEnd(chain, seq, { store, keys, unkeyedUntil, newest: endLength, walk })
    check.counts.entries += report.entries
    for (const { seq: at, fault } of report.faults) check.add({ kind: 'chain', chain, seq: at, what: chainFaultTexts[fault] })
  }
  check.counts.chains = heads.length
  for (const head of known) {
    const entry = head.seq === 0 ? null : await store.read(findAuditEntry(head.chain, head.seq))
    if (head.seq === 0 || (entry !== null && isSame(entry.hash, head.hash))) continue
    check.add({ kind: 'chain', chain: head.chain, seq: head.seq, what: chainFaultTexts[entry === null ? 'cut' : 'rewritten'] })
  }
}

async function checkAllRows(check: StoreCheck): Promise<void> {
  const { store, keyring, environment, walk } = check.deps
  for await (const { kind, fault } of checkRows({ store, macOf: makeMacOf(keyring, environment), walk })) {
    if (kind !== null) check.rows[kind] += 1
    if (fault !== null) check.add(fault)
    if (check.isFull) return
  }
}

async function checkOrphans(check: StoreCheck): Promise<void> {
  const { store, walk } = check.deps
  walk.begin('rows without their parents', parentRelations.length)
  for (const relation of parentRelations) {
    const { child: table, parent } = relation
    for (const { id, merchantId } of await store.read(listOrphans(relation, findingsMax))) {
      check.add({ kind: 'orphan', table, id, merchantId, what: `the row of ${parent} that it belongs to is missing` })
    }
    check.counts.relations += 1
    await walk.advance(1)
  }
}

export const chainFaultTexts: Readonly<Record<ChainFaultKind, string>> = Object.freeze({
  edited: 'this entry, or the one before it, was changed',
  gap: 'entries before this one are missing',
  cut: 'entries are missing at the end',
  rewritten: 'the chain was rewritten',
  unkeyed: 'this entry was not written by the service: it has no key',
  unknown_key: 'this entry was not written by the service: it is linked under a key that the key store does not have',
  unreadable: 'this entry cannot be read: a column holds what the service never wrote',
  damaged: 'the database is damaged here: the chain cannot be read any further',
})

const noBoundaryText = 'the entry that says where the chains began to be keyed (audit.chain_keyed) was changed or deleted'
const findingsMax = 100
const endLength = 1000
