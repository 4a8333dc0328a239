import { type AuditHead, listAuditHeads } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { type BoundRowCheckDependencies, checkBoundRows, type BoundRowFault } from './bound-rows.ts'
import { findBoundary } from './boundary.ts'
import { checkRows, type AuditedKind, type RowFault, type RowMacs } from './rows.ts'
import { verifyChain, type AuditKeys, type ChainFaultKind } from './verify.ts'

/** The result of an audit verification. */
export interface AuditReport {
  readonly chains: number
  readonly entries: number
  /** How many sealed cards, receipts, merchants and others were compared with the audit. */
  readonly cards: number
  readonly receipts: number
  readonly merchants: number
  readonly users: number
  readonly endpoints: number
  readonly formSessions: number
  readonly sessions: number
  /** How many rows of the other tables with a MAC were checked. */
  readonly rows: number
  readonly findings: readonly AuditFinding[]
  /** Whether the check stopped at the maximum number of findings. */
  readonly more: boolean
}

export type AuditFinding =
  | { readonly kind: 'chain'; readonly chain: string; readonly seq: number; readonly what: string }
  | { readonly kind: AuditedKind; readonly id: string; readonly merchantId: string; readonly what: string }
  | ({ readonly kind: 'row' } & BoundRowFault)

export interface AuditCheckDependencies {
  readonly store: Store
  readonly keys: AuditKeys
  readonly macs: RowMacs
  readonly bound: BoundRowCheckDependencies
  /** Heads of earlier checkpoints, which the database's writer cannot change. */
  readonly knownHeads: () => readonly AuditHead[]
}

/**
 * Recomputes every chain from its first entry, then compares each row that has a version and a MAC with its newest version in the audit, and the rows of the
 * other tables with their MACs. What this process
 * committed last is known from its memory, and what it committed before a restart from its checkpoints.
 */
export async function checkAudit({ store, keys, macs, bound, knownHeads }: AuditCheckDependencies): Promise<AuditReport> {
  const findings: AuditFinding[] = []
  const addFault = (chain: string, seq: number, fault: ChainFaultKind): void =>
    void findings.push({ kind: 'chain', chain, seq, what: chainFaultTexts[fault] })
  const known = [...knownHeads(), ...store.auditHeads()]
  const { boundary } = await findBoundary(store, keys)
  const unkeyed = boundary?.heads ?? []
  if (boundary === null) findings.push({ kind: 'chain', chain: '', seq: 0, what: noBoundaryText })
  const chains = new Set([...(await store.read(listAuditHeads())), ...known, ...unkeyed].map(({ chain }) => chain))
  let entries = 0
  for (const chain of chains) {
    const unkeyedUntil = unkeyed.find((head) => head.chain === chain)?.seq ?? 0
    const report = await verifyChain(chain, { store, keys, known: [...unkeyed, ...known], unkeyedUntil })
    entries += report.entries
    for (const { seq, fault } of report.faults) addFault(chain, seq, fault)
  }
  const counts = { card: 0, receipt: 0, merchant: 0, user: 0, endpoint: 0, form_session: 0, session: 0 }
  for await (const { kind, fault } of checkRows(store, macs)) {
    counts[kind] += 1
    if (fault !== null) findings.push(asFinding(fault))
    if (findings.length >= findingsMax) break
  }
  let rows = 0
  for await (const fault of checkBoundRows(store, bound)) {
    rows += 1
    if (fault !== null) findings.push({ kind: 'row', ...fault })
    if (findings.length >= findingsMax) break
  }
  const { card: cards, receipt: receipts, merchant: merchants, user: users, endpoint: endpoints, session: sessions } = counts
  const compared = { cards, receipts, merchants, users, endpoints, formSessions: counts.form_session, sessions, rows }
  return { chains: chains.size, entries, ...compared, findings: findings.slice(0, findingsMax), more: findings.length >= findingsMax }
}

function asFinding({ kind, id, merchantId, what }: RowFault): AuditFinding {
  return { kind, id, merchantId, what }
}

export const chainFaultTexts: Readonly<Record<ChainFaultKind, string>> = Object.freeze({
  edited: 'this entry, or the one before it, was changed',
  gap: 'entries before this one are missing',
  cut: 'entries are missing at the end',
  rewritten: 'the chain was rewritten',
  unkeyed: 'this entry was not written by the service: it has no key',
  unknown_key: 'this entry was not written by the service: it is linked under a key that the key store does not have',
})

const noBoundaryText = 'the entry that says where the chains began to be keyed (audit.chain_keyed) was changed or deleted'
const findingsMax = 100
