import type { Keyring } from '@tessera/vault/keyring'

import { verifyKeyStore } from '../../domain/keys/verify-key-store.ts'
import { type AuditGap, type AuditHead, listAuditGaps, listAuditHeads } from '../../store/audit.ts'
import type { DatabaseInspection } from '../../store/inspection.ts'
import { findBoundary } from '../audit/boundary.ts'
import { verifyChainEnd } from '../audit/verify.ts'

/** What the verification of a copy read. */
export interface CopyVerification {
  readonly heads: readonly AuditHead[]
  /** Missing audit entries, in front of the ends of the chains. They are missing in the database too, so no other copy has them. */
  readonly gaps: readonly AuditGap[]
  /** Entries at the ends of the chains whose links were recomputed. */
  readonly entries: number
  readonly answers: number
  /** Sampled rows with a valid MAC. */
  readonly rows: number
}

export interface CopyToVerify {
  readonly database: DatabaseInspection
  readonly keyring: Keyring
  readonly environment: string
}

/**
 * Verifies that a copy of the database is one of these keys, and complete at its end: known answers, a sample of row MACs, and the links of the newest
 * entries of every audit chain. Missing audit entries are returned: a copy of a database that lacks some lacks them too, and is better than none. Throws
 * `KeyStoreMismatch`, `MigrationRefused` and `CopyBroken`.
 */
export async function verifyCopy({ database, keyring, environment }: CopyToVerify): Promise<CopyVerification> {
  if (!database.hasSchema) throw new CopyBroken('it has no schema of Tessera')
  const isCurrent = database.pending().length === 0
  const { answers, rows } = await verifyKeyStore({ store: database, keyring, environment, isCurrent })
  const heads = await listAuditHeads(database)
  let entries = 0
  const { boundary } = await findBoundary(database, keyring)
  for (const head of heads) {
    const unkeyedUntil = boundary?.heads.find(({ chain }) => chain === head.chain)?.seq ?? 0
    entries += await verifyEnd({ database, keyring, unkeyedUntil }, head)
  }
  return { heads, gaps: await database.read(listAuditGaps()), entries, answers, rows }
}

/** Returns how many links were recomputed. */
async function verifyEnd(
  { database, keyring, unkeyedUntil }: Pick<CopyToVerify, 'database' | 'keyring'> & { readonly unkeyedUntil: number },
  { chain, seq }: AuditHead,
): Promise<number> {
  const { faults, entries } = await verifyChainEnd(chain, seq, { store: database, keys: keyring, unkeyedUntil, newest: newestEntries })
  const fault = faults.find((each) => each.fault !== 'gap')
  if (fault !== undefined) throw new CopyBroken(`the audit chain ${chain} has a fault at entry ${String(fault.seq)} (${fault.fault})`)
  return entries
}

/** A copy that is not as it has to be. The message is the reason. */
export class CopyBroken extends Error {
  override readonly name = 'CopyBroken'
}

/** A second of work. */
const newestEntries = 10_000
