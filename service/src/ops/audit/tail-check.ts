import type { KeyObject } from 'node:crypto'

import type { Keyring } from '@tessera/vault/keyring'

import { type AuditHead, findAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { newestHeads } from './newest-heads.ts'
import type { CheckpointReports } from './destination-queue.ts'
import { isSame, verifyChain, type ChainFaultKind } from './verify.ts'

/** Compares the newest part of the chains with what this service committed and exported, so that a cut is found without `audit verify`. */
export interface TailCheck {
  /** Verifies the last entries up to a head that this process committed. `before`: the head that was exported before it. */
  check(before: AuditHead | undefined, head: AuditHead): Promise<void>
  /** Compares the chains with the newest checkpoints in these lines that this service signed, and returns their heads. */
  compareWithLast(lines: readonly string[], keys: readonly KeyObject[], environment: string): Promise<readonly AuditHead[]>
  /** The heads that `compareWithLast` found. */
  lastHeads(): readonly AuditHead[]
}

export interface TailCheckDependencies {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'byId'>
  readonly reports: Pick<CheckpointReports, 'onFault'>
}

export function makeTailCheck({ store, keyring, reports }: TailCheckDependencies): TailCheck {
  const reported = new Set<string>()
  let last: readonly AuditHead[] = []
  return Object.freeze({ check, compareWithLast, lastHeads: () => last })

  async function check(before: AuditHead | undefined, head: AuditHead): Promise<void> {
    if (before === undefined) return
    await compare(before)
    // A page at most, so that a burst of entries costs no more than a few of them; `audit verify` reads all.
    const from = before.seq >= head.seq - tailLength ? before : await store.read(findAuditEntry(head.chain, head.seq - tailLength))
    if (from === null) {
      await report(head.chain, head.seq - tailLength, 'cut')
      return
    }
    if (from.seq >= head.seq) return
    const { faults } = await verifyChain(head.chain, { store, keys: keyring, known: [head], from, until: head.seq, unkeyedUntil: from.seq })
    for (const { seq, fault } of faults) await report(head.chain, seq, fault)
  }

  /** A known head has to be in the database as it was. */
  async function compare({ chain, seq, hash }: AuditHead): Promise<void> {
    const entry = await store.read(findAuditEntry(chain, seq))
    if (entry === null) await report(chain, seq, 'cut')
    else if (!isSame(entry.hash, hash)) await report(chain, seq, 'rewritten')
  }

  async function compareWithLast(lines: readonly string[], keys: readonly KeyObject[], environment: string): Promise<readonly AuditHead[]> {
    last = newestHeads(lines, keys, environment)
    for (const head of last) await compare(head)
    return last
  }

  async function report(chain: string, seq: number, fault: ChainFaultKind): Promise<void> {
    const id = `${chain} ${seq} ${fault}`
    if (reported.has(id) || reported.size >= maxReported) return
    reported.add(id)
    await reports.onFault({ chain, seq, fault })
  }
}

const tailLength = 200
const maxReported = 1000
