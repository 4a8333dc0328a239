import { createHash } from 'node:crypto'

import { type AuditRow, decodeAuditChanges, findAuditEntry } from '../../store/audit.ts'
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
  const read = await Promise.all(entries.map((entry) => readLinked(store, entry, isLinked)))
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

async function readLinked(
  store: Pick<Store, 'read'>,
  { chain, seq }: Pick<AuditRow, 'chain' | 'seq'>,
  isLinked: LinkCheck,
): Promise<LinkedEntry | null> {
  const [row, before] = await Promise.all([
    store.read(findAuditEntry(chain, seq)),
    seq === 1 ? emptyChain(chain) : store.read(findAuditEntry(chain, seq - 1)),
  ])
  if (row === null) return null
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
