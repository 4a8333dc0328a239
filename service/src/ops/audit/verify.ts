import { type AuditHead, type AuditRow, listAuditEntries } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { emptyChain, linkEntry } from '../../store/audit-chain.ts'

/** A fault at an entry of a chain. */
export interface ChainFault {
  readonly seq: number
  /**
   * `edited`: the entry does not match its hash. `gap`: entries before it are missing. `cut`: known entries are missing at the end.
   * `rewritten`: the chain is consistent, but does not match a known head.
   */
  readonly fault: 'edited' | 'gap' | 'cut' | 'rewritten'
}

export interface ChainReport {
  readonly chain: string
  readonly entries: number
  readonly head: AuditHead
  /** At most the first hundred. */
  readonly faults: readonly ChainFault[]
}

/**
 * Recomputes a chain from its first entry. `known` are heads of this chain recorded outside the database: someone who can write the database
 * can recompute a whole chain, and only heads stored elsewhere reveal that.
 */
export async function verifyChain(store: Pick<Store, 'read'>, chain: string, known: readonly AuditHead[] = []): Promise<ChainReport> {
  const faults: ChainFault[] = []
  const knownHashes = new Map(known.filter((head) => head.chain === chain).map((head) => [head.seq, head.hash]))
  let head = emptyChain(chain)
  let entries = 0
  for await (const entry of readChain(store, chain)) {
    const fault = faultOf(head, entry, knownHashes.get(entry.seq))
    if (fault !== null && faults.length < FAULTS_MAX) faults.push({ seq: entry.seq, fault })
    // Continues from the stored hash, so that one edit is reported once.
    head = { chain, seq: entry.seq, hash: entry.hash }
    entries++
  }
  const last = Math.max(0, ...knownHashes.keys())
  if (last > head.seq && faults.length < FAULTS_MAX) faults.push({ seq: head.seq + 1, fault: 'cut' })
  return { chain, entries, head, faults }
}

async function* readChain(store: Pick<Store, 'read'>, chain: string): AsyncGenerator<AuditRow> {
  for (let after = 0; ;) {
    const page = await store.read(listAuditEntries(chain, after, PAGE))
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

function faultOf(head: AuditHead, entry: AuditRow, knownHashes: Uint8Array | undefined): ChainFault['fault'] | null {
  if (entry.seq !== head.seq + 1) return 'gap'
  if (!isSame(linkEntry(head, entry).hash, entry.hash)) return 'edited'
  return knownHashes !== undefined && !isSame(knownHashes, entry.hash) ? 'rewritten' : null
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

const PAGE = 500
const FAULTS_MAX = 100
