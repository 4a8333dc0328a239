import { type AuditHead, type AuditRow, decodeAuditChanges, findAuditEntry, listChainBoundaries } from '../../store/audit.ts'
import { emptyChain, makeLinkHash } from '../../store/audit-chain.ts'
import type { Store } from '../../store/store.ts'

import { findAuditKey, isSame, type AuditKeys } from './verify.ts'

/** Where the chains of this database began to be keyed: the last entries without a key, as the boundary entry names them. */
export interface ChainBoundary {
  readonly heads: readonly AuditHead[]
}

export interface BoundaryLookup {
  /** Null when there is none that this service wrote. */
  readonly boundary: ChainBoundary | null
  /** Whether there are entries that claim to be one. */
  readonly hasCandidates: boolean
}

/** Finds the boundary entry that is linked under an audit key of the key store; entries that somebody inserted are not. */
export async function findBoundary(store: Pick<Store, 'read'>, keys: AuditKeys): Promise<BoundaryLookup> {
  const candidates = await store.read(listChainBoundaries())
  for (const entry of candidates) {
    if (await isLinked(store, keys, entry)) return { boundary: { heads: readBoundaryHeads(entry) }, hasCandidates: true }
  }
  return { boundary: null, hasCandidates: candidates.length > 0 }
}

async function isLinked(store: Pick<Store, 'read'>, keys: AuditKeys, entry: AuditRow): Promise<boolean> {
  const key = await findAuditKey(keys, entry.keyId)
  if (key === undefined) return false
  const before = await findHeadBefore(store, entry)
  return before !== null && isSame(makeLinkHash(key, before.hash, entry), entry.hash)
}

/** The entry names the head that it follows, so that it is still recognized when the entries before it were changed. */
async function findHeadBefore(store: Pick<Store, 'read'>, entry: AuditRow): Promise<AuditHead | null> {
  const named = readBoundaryHeads(entry).find(({ chain, seq }) => chain === entry.chain && seq === entry.seq - 1)
  if (named !== undefined) return named
  return entry.seq === 1 ? emptyChain(entry.chain) : store.read(findAuditEntry(entry.chain, entry.seq - 1))
}

/** What the boundary entry says of each chain: its name, and position and hash of its last entry without a key. */
export function boundaryChanges(heads: readonly AuditHead[]) {
  return heads.map(({ chain, seq, hash }) => ({ name: chain, from: null, to: `${seq} ${Buffer.from(hash).toString('hex')}` }))
}

function readBoundaryHeads({ changes }: AuditRow): AuditHead[] {
  return decodeAuditChanges(changes).flatMap(({ name: chain, to }) => {
    const [, seq, hash] = /^([1-9][0-9]{0,15}) ([0-9a-f]{64})$/.exec(to ?? '') ?? []
    return seq === undefined || hash === undefined ? [] : [{ chain, seq: Number(seq), hash: Uint8Array.from(Buffer.from(hash, 'hex')) }]
  })
}
