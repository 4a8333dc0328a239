import { listAuditHeads } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { checkRows, type AuditedKind, type RowFault, type RowMacs } from './rows.ts'
import { verifyChain, type ChainFault } from './verify.ts'

/** The result of an audit verification. */
export interface AuditReport {
  readonly chains: number
  readonly entries: number
  /** How many sealed cards, receipts and merchants were compared with the audit. */
  readonly cards: number
  readonly receipts: number
  readonly merchants: number
  readonly findings: readonly AuditFinding[]
  /** Whether the check stopped at the maximum number of findings. */
  readonly more: boolean
}

export type AuditFinding =
  | { readonly kind: 'chain'; readonly chain: string; readonly seq: number; readonly what: string }
  | { readonly kind: AuditedKind; readonly id: string; readonly merchantId: string; readonly what: string }

/**
 * Recomputes every chain from its first entry, then compares each row that has a MAC with its newest version in the audit. A chain truncated at
 * its end is not detected; that requires checkpoints outside the database.
 */
export async function checkAudit({ store, macs }: { readonly store: Store; readonly macs: RowMacs }): Promise<AuditReport> {
  const findings: AuditFinding[] = []
  const heads = await store.read(listAuditHeads())
  const totals = { chains: heads.length, entries: 0 }
  for (const { chain } of heads) {
    const { entries, faults } = await verifyChain(store, chain)
    totals.entries += entries
    for (const { seq, fault } of faults) findings.push({ kind: 'chain', chain, seq, what: faultTexts[fault] })
  }
  const counts = { card: 0, receipt: 0, merchant: 0 }
  for await (const { kind, fault } of checkRows(store, macs)) {
    counts[kind] += 1
    if (fault !== null) findings.push(asFinding(fault))
    if (findings.length >= findingsMax) break
  }
  const { card: cards, receipt: receipts, merchant: merchants } = counts
  return { ...totals, cards, receipts, merchants, findings: findings.slice(0, findingsMax), more: findings.length >= findingsMax }
}

function asFinding({ kind, id, merchantId, what }: RowFault): AuditFinding {
  return { kind, id, merchantId, what }
}

const faultTexts: Readonly<Record<ChainFault['fault'], string>> = Object.freeze({
  edited: 'this entry, or the one before it, was changed',
  gap: 'entries before this one are missing',
  cut: 'entries are missing at the end',
  rewritten: 'the chain was rewritten',
})

const findingsMax = 100
