import type { Clock } from '../../clock.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { openChainFollower, type ChainFollowerDependencies } from './chain-follower.ts'

export interface AcceptRestoredDependencies extends Omit<ChainFollowerDependencies, 'store' | 'acceptsRestored' | 'onFault'> {
  readonly store: Pick<Store, 'read' | 'write' | 'watchAudit'>
  readonly clock: Clock
  /** What the database lacks, for the audit entry. */
  readonly lost: readonly LostChainEnd[]
  /** When the backup was made, ms; null when the database was accepted without one. */
  readonly backupAt: number | null
}

/** A chain that ends at `afterSeq`, and of which entries up to `untilSeq` are known. */
export interface LostChainEnd {
  readonly chain: string
  readonly afterSeq: number
  readonly untilSeq: number
}

/**
 * Accepts the database as it is: the ends of its audit chains and the versions that its audit has are recorded instead of those that the service knew.
 * Writes an audit entry first. Only while no service runs on this database, because a running one refuses what it knows to be old. Returns the number of
 * faults of the chains, which `audit verify` lists.
 */
export async function acceptRestored(deps: AcceptRestoredDependencies): Promise<number> {
  const { store, clock, lost, backupAt } = deps
  const entry = { at: clock.now(), actor: 'operator', action: 'database.restored', merchantId: '', subject: 'database', version: 0 }
  const changes = lost.map(({ chain, afterSeq, untilSeq }) => ({ name: chain, from: String(untilSeq), to: String(afterSeq) }))
  const backup = backupAt === null ? [] : [{ name: 'backup', from: null, to: new Date(backupAt).toISOString() }]
  const rest = { mac: new Uint8Array(0), requestId: '', outcome: 'done', changes: [...backup, ...changes] }
  await store.write(insertAuditEntry, { audit: { ...entry, ...rest } })
  let faults = 0
  const follower = await openChainFollower({ ...deps, acceptsRestored: true, onFault: () => (faults += 1) })
  await follower.close()
  return faults
}
