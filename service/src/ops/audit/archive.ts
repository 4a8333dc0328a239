import { createHash, type Hash } from 'node:crypto'

import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import {
  type AuditChange,
  type AuditRow,
  decodeAuditChanges,
  findAuditEntry,
  listAuditEntries,
  listAuditOfSubject,
  listUserActions,
} from '../../store/audit.ts'
import { emptyChain } from '../../store/audit-chain.ts'
import type { Store } from '../../store/store.ts'
import { makeWalk } from '../../store/walk.ts'

import { findBoundary } from './boundary.ts'
import { type SignedCheckpoint, signJson } from './checkpoint.ts'
import { type MerchantPage, signMerchantPage } from './merchant-segment.ts'
import { formatEntry, segmentType, type SegmentHeader } from './segment.ts'
import { makeAuditSigners, type AuditSigningKey } from './signers.ts'
import { verifyChain } from './verify.ts'

/** An entry with its changes as values. */
export interface ArchivedEntry extends Omit<AuditRow, 'changes'> {
  readonly changes: readonly AuditChange[]
}

/** What an operator reads of the audit: entries, heads, hashes, public keys and signed segments. */
export interface AuditArchive {
  /** The newest first: what users and operators did for a merchant ('' for the service), or everything about one subject. */
  list(query: { readonly merchantId: string; readonly subject: string | null; readonly count: number }): Promise<ArchivedEntry[]>
  head(): Promise<SignedCheckpoint>
  publicKeys(): Promise<AuditSigningKey[]>
  /** The hashes of these entries, hex; null for one that is missing. */
  hashes(chain: string, seqs: readonly number[]): Promise<(string | null)[]>
  /** The signed segment of the entries after `after` up to `until`, of which there may be more; null when there are none. */
  segment(chain: string, after: number, until: number): Promise<ExportedSegment | null>
  /** A signed page of a merchant's list: its header and entries, a line each. */
  merchantPage(page: MerchantPage): Promise<string>
}

export interface ExportedSegment {
  /** The signed header and the entries, a line each. */
  readonly text: string
  readonly toSeq: number
  readonly entries: number
  readonly faults: SegmentHeader['faults']
}

export interface AuditArchiveDependencies {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly checkpoints: { sign(): Promise<SignedCheckpoint> }
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export function makeAuditArchive({ store, keyring, clock, environment, checkpoints, now }: AuditArchiveDependencies): AuditArchive {
  const signers = makeAuditSigners(keyring)
  return Object.freeze({ list, head: () => checkpoints.sign(), publicKeys: () => signers.list(), hashes, segment, merchantPage })

  function merchantPage(page: MerchantPage): Promise<string> {
    const exportedAt = new Date(clock.now()).toISOString()
    return signMerchantPage(page, { store, keys: keyring, signers, environment, exportedAt })
  }

  async function list({ merchantId, subject, count }: Parameters<AuditArchive['list']>[0]): Promise<ArchivedEntry[]> {
    const query = subject === null ? listUserActions({ merchantId, after: null, count }) : listAuditOfSubject(merchantId, subject, count)
    return (await store.read(query)).map((row) => ({ ...row, changes: decodeAuditChanges(row.changes) }))
  }

  async function hashes(chain: string, seqs: readonly number[]): Promise<(string | null)[]> {
    const entries = await Promise.all(seqs.map((seq) => store.read(findAuditEntry(chain, seq))))
    return entries.map((entry) => (entry === null ? null : hex(entry.hash)))
  }

  async function segment(chain: string, after: number, until: number): Promise<ExportedSegment | null> {
    const walk = makeWalk({ now })
    const rows = await readEntries(chain, after, until)
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined) return null
    const before = after === 0 ? emptyChain(chain) : await store.read(findAuditEntry(chain, after))
    const { boundary } = await findBoundary(store, keyring)
    const unkeyedUntil = boundary?.heads.find((each) => each.chain === chain)?.seq ?? 0
    const from = { chain, seq: after, hash: before?.hash ?? new Uint8Array(32) }
    const { faults } = await verifyChain(chain, { store, keys: keyring, from, until: last.seq, unkeyedUntil, walk })
    const [lines, sha256]: [string[], Hash] = [[], createHash('sha256')]
    for (const row of rows) {
      const line = `${formatEntry(row)}\n`
      lines.push(line)
      sha256.update(line)
      const pause = walk.advance(1)
      if (pause !== undefined) await pause
    }
    const signer = await signers.active()
    const header: SegmentHeader = {
      type: segmentType,
      environment,
      chain,
      fromSeq: first.seq,
      toSeq: last.seq,
      entries: rows.length,
      previousHash: hex(from.hash),
      lastHash: hex(last.hash),
      exportedAt: new Date(clock.now()).toISOString(),
      faults,
      sha256: sha256.digest('hex'),
      keyId: signer.keyId,
    }
    return { text: `${signJson(signer, { ...header })}\n${lines.join('')}`, toSeq: last.seq, entries: rows.length, faults }
  }

  /** Page by page: a thousand entries at once would keep requests waiting. */
  async function readEntries(chain: string, after: number, until: number): Promise<AuditRow[]> {
    const rows: AuditRow[] = []
    for (let from = after; rows.length < segmentLength;) {
      const page = await store.read(listAuditEntries(chain, from, pageLength))
      for (const row of page) if (row.seq <= until) rows.push(row)
      from = page.at(-1)?.seq ?? until
      if (page.length < pageLength || from >= until) break
    }
    return rows
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** Entries of one segment: some 500 KB. */
const segmentLength = 1000
/** Divides it. */
const pageLength = 200
