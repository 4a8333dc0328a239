import type { Store } from '../store/store.ts'

import { checkRows, type AuditedNoun, type RowFault, type RowMacs } from './rows.ts'
import { verifyChain, type ChainFault } from './verify.ts'

/** What a verification of the audit found. */
export interface AuditReport {
  readonly chains: number
  readonly entries: number
  /** Sealed cards, receipts and merchants that were held against the audit. */
  readonly cards: number
  readonly receipts: number
  readonly merchants: number
  readonly findings: readonly AuditFinding[]
  /** Whether it stopped at the most findings that it lists. */
  readonly more: boolean
}

export type AuditFinding =
  | { readonly kind: 'chain'; readonly chain: string; readonly seq: number; readonly what: string }
  | { readonly kind: AuditedNoun; readonly id: string; readonly merchantId: string; readonly what: string }

/**
 * Recomputes every chain from its first entry, then holds each row that bears a MAC against the newest version that the audit tells of it.
 * A chain whose end was cut off whole is not found by this; that takes checkpoints outside the database.
 */
export async function checkAudit({ store, macs }: { readonly store: Store; readonly macs: RowMacs }): Promise<AuditReport> {
  const findings: AuditFinding[] = []
  const heads = await store.listAuditChains()
  const told = { chains: heads.length, entries: 0 }
  for (const { chain } of heads) {
    const { entries, faults } = await verifyChain(store, chain)
    told.entries += entries
    for (const { seq, fault } of faults) findings.push({ kind: 'chain', chain, seq, what: words[fault] })
  }
  const counts = { card: 0, receipt: 0, merchant: 0 }
  for await (const { noun, fault } of checkRows(store, macs)) {
    counts[noun] += 1
    if (fault !== null) findings.push(asFinding(fault))
    if (findings.length >= findingsMax) break
  }
  const { card: cards, receipt: receipts, merchant: merchants } = counts
  return { ...told, cards, receipts, merchants, findings: findings.slice(0, findingsMax), more: findings.length >= findingsMax }
}

function asFinding({ noun: kind, id, merchantId, what }: RowFault): AuditFinding {
  return { kind, id, merchantId, what }
}

const words: Readonly<Record<ChainFault['fault'], string>> = Object.freeze({
  edited: 'this entry, or the one before it, is not as it was written',
  gap: 'entries before this one are missing',
  cut: 'entries are missing at the end',
  rewritten: 'the chain was written anew',
})

const findingsMax = 100
