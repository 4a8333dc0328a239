import type { AuditEntry, AuditHead, Store } from '../store/store.ts'
import { emptyChain, linkEntry } from './chain.ts'

/** What is wrong with a chain at an entry. */
export interface ChainFault {
  readonly seq: number
  /**
   * `edited`: the entry is not what its hash says. `gap`: entries before it are missing. `cut`: entries that are known to have been there are
   * missing at the end. `rewritten`: the chain holds, but it is not the one that a known head belongs to.
   */
  readonly fault: 'edited' | 'gap' | 'cut' | 'rewritten'
}

export interface ChainReport {
  readonly chain: string
  readonly entries: number
  readonly head: AuditHead
  /** The first hundred. */
  readonly faults: readonly ChainFault[]
}

/**
 * Walks a chain from its first entry and links it anew. `known` are heads of this chain that were noted outside of the database: whoever can
 * write the database can compute a whole chain again, and only what lies elsewhere tells.
 */
export async function verifyChain(store: Pick<Store, 'readAudit'>, chain: string, known: readonly AuditHead[] = []): Promise<ChainReport> {
  const faults: ChainFault[] = []
  const wanted = new Map(known.filter((head) => head.chain === chain).map((head) => [head.seq, head.hash]))
  let head = emptyChain(chain)
  let entries = 0
  for await (const entry of readChain(store, chain)) {
    const fault = faultOf(head, entry, wanted.get(entry.seq))
    if (fault !== null && faults.length < FAULTS_MAX) faults.push({ seq: entry.seq, fault })
    // Goes on from what is stored, so that one edit is one fault.
    head = { chain, seq: entry.seq, hash: entry.hash }
    entries++
  }
  const last = Math.max(0, ...wanted.keys())
  if (last > head.seq && faults.length < FAULTS_MAX) faults.push({ seq: head.seq + 1, fault: 'cut' })
  return { chain, entries, head, faults }
}

async function* readChain(store: Pick<Store, 'readAudit'>, chain: string): AsyncGenerator<AuditEntry> {
  for (let after = 0; ;) {
    const page = await store.readAudit(chain, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.seq
  }
}

function faultOf(head: AuditHead, entry: AuditEntry, wanted: Uint8Array | undefined): ChainFault['fault'] | null {
  if (entry.seq !== head.seq + 1) return 'gap'
  if (!isSame(linkEntry(head, entry).hash, entry.hash)) return 'edited'
  return wanted !== undefined && !isSame(wanted, entry.hash) ? 'rewritten' : null
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

const PAGE = 500
const FAULTS_MAX = 100
