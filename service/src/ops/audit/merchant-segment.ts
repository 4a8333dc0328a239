import { createHash } from 'node:crypto'

import { auditPositionsMax, type AuditRow, decodeAuditChanges, findAuditEntriesAt } from '../../store/audit.ts'
import { emptyChain } from '../../store/audit-chain.ts'
import type { Store } from '../../store/store.ts'

import { signJson } from './checkpoint.ts'
import { type LinkCheck, makeLinkCheck } from './link-check.ts'
import type { AuditSigners } from './signers.ts'
import type { AuditKeys } from './verify.ts'

export const merchantSegmentType = 'tessera.audit.merchant/1'

/** What a list of a merchant's entries was limited to; members that are left out did not limit it. */
export interface MerchantSegmentConditions {
  readonly subject?: string | undefined
  readonly userId?: string | undefined
  readonly action?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The first line of a page of a merchant's export, with the signature as its last member. It binds the entries by their SHA-256. */
export interface MerchantSegmentHeader {
  readonly type: typeof merchantSegmentType
  readonly environment: string
  readonly merchantId: string
  readonly conditions: MerchantSegmentConditions
  /** Where this page begins and the next one does; null at the beginning and at the end. So no page can be left out between two others. */
  readonly after: string | null
  readonly next: string | null
  /** ISO 8601. */
  readonly exportedAt: string
  readonly entries: number
  /** Hashes of entries whose link to the one before them the service could not recompute; empty when all are right. */
  readonly faults: readonly string[]
  /** Of the lines of the entries, each with its line end. */
  readonly sha256: string
  readonly keyId: string
  /** PEM. A file that names its own key proves nothing by it alone: compare the key with the provider's. */
  readonly publicKey: string
}

/** A page of a merchant's list, as `dashboard.audit.list` finds it. */
export interface MerchantPage extends Pick<MerchantSegmentHeader, 'merchantId' | 'conditions' | 'after' | 'next'> {
  /** Which entries, in the order of the list. */
  readonly entries: readonly Pick<AuditRow, 'chain' | 'seq'>[]
}

export interface MerchantSegmentDependencies {
  readonly store: Pick<Store, 'read'>
  readonly keys: AuditKeys
  readonly signers: AuditSigners
  readonly environment: string
  readonly exportedAt: string
}

/**
 * The signed page: a header and a line for each entry. Of the chain, which has the entries of all merchants, a line has the hash of its entry and that of the
 * one before it, and neither position nor name: they would show how much others do, and on which hosts.
 */
export async function signMerchantPage(page: MerchantPage, deps: MerchantSegmentDependencies): Promise<string> {
  const { merchantId, conditions, after, next, entries } = page
  const { store, keys, signers, environment, exportedAt } = deps
  const isLinked = await makeLinkCheck(store, keys)
  const find = await readWithPrevious(store, entries)
  const read = await Promise.all(entries.map((entry) => findLinked(find, entry, isLinked)))
  const lines = read.flatMap((entry) => (entry === null ? [] : [`${formatMerchantEntry(entry)}\n`]))
  const signer = await signers.active()
  const header: MerchantSegmentHeader = {
    type: merchantSegmentType,
    environment,
    merchantId,
    conditions,
    after,
    next,
    exportedAt,
    entries: lines.length,
    faults: read.flatMap((entry) => (entry === null || entry.isRight ? [] : [toHex(entry.row.hash)])),
    sha256: createHash('sha256').update(lines.join('')).digest('hex'),
    keyId: signer.keyId,
    publicKey: signer.publicKey,
  }
  return `${signJson(signer, { ...header })}\n${lines.join('')}`
}

interface LinkedEntry {
  /** As it is stored: with the names of actions that it was linked with. */
  readonly row: AuditRow
  readonly previousHash: Uint8Array
  readonly isRight: boolean
}

type FindEntry = (chain: string, seq: number) => AuditRow | null

/**
 * Reads the entries and the ones before them, with one statement for each chain of which a page has entries. By their positions: between two entries of a
 * merchant may be a million of others.
 */
async function readWithPrevious(store: Pick<Store, 'read'>, entries: MerchantPage['entries']): Promise<FindEntry> {
  const seqsOf = new Map<string, Set<number>>()
  for (const { chain, seq } of entries) seqsOf.set(chain, (seqsOf.get(chain) ?? new Set()).add(seq).add(seq - 1))
  const reads = [...seqsOf].flatMap(([chain, seqs]) =>
    inPages([...seqs]).map(async (page) => [chain, await store.read(findAuditEntriesAt(chain, page))] as const),
  )
  const found = new Map<string, Map<number, AuditRow>>()
  for (const [chain, rows] of await Promise.all(reads)) found.set(chain, new Map([...(found.get(chain) ?? []), ...rows]))
  return (chain, seq) => found.get(chain)?.get(seq) ?? null
}

function inPages(seqs: readonly number[]): (readonly number[])[] {
  return Array.from({ length: Math.ceil(seqs.length / auditPositionsMax) }, (_, at) =>
    seqs.slice(at * auditPositionsMax, (at + 1) * auditPositionsMax),
  )
}

async function findLinked(
  find: FindEntry,
  { chain, seq }: Pick<AuditRow, 'chain' | 'seq'>,
  isLinked: LinkCheck,
): Promise<LinkedEntry | null> {
  const row = find(chain, seq)
  if (row === null) return null
  const before = seq === 1 ? emptyChain(chain) : find(chain, seq - 1)
  const head = before ?? emptyChain(chain)
  return { row, previousHash: head.hash, isRight: before !== null && (await isLinked(head, row)) }
}

function formatMerchantEntry({ row, previousHash }: LinkedEntry): string {
  const { at, actor, address, action, subject, outcome, changes, requestId, version, hash } = row
  const shown = {
    at: new Date(at).toISOString(),
    actor,
    address,
    action,
    subject,
    outcome,
    changes: decodeAuditChanges(changes),
    requestId,
  }
  return JSON.stringify({ ...shown, version, previousHash: toHex(previousHash), hash: toHex(hash) })
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
