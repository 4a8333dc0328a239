import type { KeyObject } from 'node:crypto'

import { type AuditHead, findAuditEntry, listAuditHeads } from '../../store/audit.ts'
import { RowBroken } from '../../store/columns.ts'
import type { Store } from '../../store/store.ts'

import { isSignedLine, readCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { type LostEntries, readRestoreStatement } from './restore-statement.ts'
import { isSame } from './verify.ts'

export interface LostEntriesQuery {
  /** The database that is to be accepted. */
  readonly store: Pick<Store, 'read'>
  /** Lines of checkpoints, oldest first. */
  readonly lines: readonly string[]
  readonly publicKeys: readonly KeyObject[]
  readonly environment: string
  /** Ends of chains that are known otherwise, such as from the database that is to be replaced. */
  readonly others?: readonly KnownHead[]
}

export interface KnownHead extends AuditHead {
  /** When it was signed, or written, ISO 8601. */
  readonly at: string
}

/** Compares a database with every head that is known of its chains. Checkpoints that none of the keys signed are ignored. */
export async function findLostEntries(query: LostEntriesQuery): Promise<readonly LostEntries[]> {
  const known = listKnownHeads(query)
  const heads = new Map((await listAuditHeads(query.store)).map((head) => [head.chain, head]))
  const lost: LostEntries[] = []
  for (const [chain, all] of known) {
    const found = await compareChain(query.store, chain, all, heads.get(chain)?.seq ?? 0)
    if (found !== null) lost.push(found)
  }
  return lost
}

/** What is known of each chain, oldest first. What an earlier restore gave up is not lost again. */
function listKnownHeads({ lines, publicKeys, environment, others = [] }: LostEntriesQuery): Map<string, KnownHead[]> {
  const known = new Map<string, KnownHead[]>()
  const add = ({ heads, at }: Pick<SignedCheckpoint, 'heads' | 'at'>): void => {
    for (const head of heads) listOf(head.chain).push({ ...head, at })
  }
  const listOf = (chain: string): KnownHead[] => {
    const list = known.get(chain) ?? []
    known.set(chain, list)
    return list
  }
  for (const line of lines) {
    const statement = readRestoreStatement(line)
    const checkpoint = statement ?? readCheckpoint(line)
    if (checkpoint === null || checkpoint.environment !== environment || !isSignedLine(publicKeys, checkpoint.line)) continue
    for (const { chain, afterSeq } of statement?.lost ?? [])
      known.set(
        chain,
        listOf(chain).filter(({ seq }) => seq <= afterSeq),
      )
    add(checkpoint)
  }
  for (const head of others) listOf(head.chain).push(head)
  return known
}

async function compareChain(
  store: Pick<Store, 'read'>,
  chain: string,
  known: readonly KnownHead[],
  endSeq: number,
): Promise<LostEntries | null> {
  const last = known.reduce<KnownHead | null>((newest, head) => (newest === null || head.seq >= newest.seq ? head : newest), null)
  if (last === null || last.seq === 0 || (await hasEntry(store, last))) return null
  const afterSeq = await findCommonSeq(store, known, endSeq)
  const behind = known.filter(({ seq }) => seq > afterSeq)
  const before = afterSeq === 0 ? null : await readEntry(store, chain, afterSeq)
  return {
    chain,
    afterSeq,
    untilSeq: last.seq,
    from: before === null ? null : new Date(before.at).toISOString(),
    to: behind.reduce((newest, { at }) => (at > newest ? at : newest), last.at),
    checkpoints: behind.length,
  }
}

/**
 * The end of the chain, when the newest known entry that it reaches is in it: then the chain is a beginning of what is known. Otherwise it was continued by
 * another service, and the newest known entry that it has counts.
 */
async function findCommonSeq(store: Pick<Store, 'read'>, known: readonly KnownHead[], endSeq: number): Promise<number> {
  const reached = known.filter(({ seq }) => seq <= endSeq).sort((one, other) => other.seq - one.seq)
  if (reached.length === known.length) {
    for (const head of reached) if (await hasEntry(store, head)) return head.seq
    return 0
  }
  const [newest] = reached
  if (newest === undefined || (await hasEntry(store, newest))) return endSeq
  for (const head of reached) if (await hasEntry(store, head)) return head.seq
  return 0
}

async function hasEntry(store: Pick<Store, 'read'>, { chain, seq, hash }: AuditHead): Promise<boolean> {
  const entry = await readEntry(store, chain, seq)
  return entry !== null && isSame(entry.hash, hash)
}

/** Null for an entry that is missing or cannot be read. */
async function readEntry(store: Pick<Store, 'read'>, chain: string, seq: number): Promise<{ at: number; hash: Uint8Array } | null> {
  try {
    return await store.read(findAuditEntry(chain, seq))
  } catch (err) {
    if (err instanceof RowBroken) return null
    throw err
  }
}
