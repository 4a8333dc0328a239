import type { AuditHead, AuditRow } from '../../store/audit.ts'
import { makeLinkHash } from '../../store/audit-chain.ts'
import type { Store } from '../../store/store.ts'

import { findBoundary } from './boundary.ts'
import { findAuditKey, isSame, type AuditKeys } from './verify.ts'

/** Whether an entry is linked to the one before it under an audit key of the key store; up to the boundary entry, without a key. */
export type LinkCheck = (before: AuditHead, entry: AuditRow) => Promise<boolean> | boolean

/** Reads the boundary entry, behind which an entry without a key is no link: anybody can make one. */
export async function makeLinkCheck(store: Pick<Store, 'read'>, keys: AuditKeys): Promise<LinkCheck> {
  const { boundary } = await findBoundary(store, keys)
  const unkeyedUntil = new Map((boundary?.heads ?? []).map(({ chain, seq }) => [chain, seq]))
  return (before, entry) => {
    if (entry.seq !== before.seq + 1) return false
    if (entry.keyId === '') {
      return entry.seq <= (unkeyedUntil.get(entry.chain) ?? 0) && isSame(makeLinkHash(null, before.hash, entry), entry.hash)
    }
    const key = findAuditKey(keys, entry.keyId)
    if (key instanceof Promise)
      return key.then((found) => found !== undefined && isSame(makeLinkHash(found, before.hash, entry), entry.hash))
    return key !== undefined && isSame(makeLinkHash(key, before.hash, entry), entry.hash)
  }
}
