import type { Clock } from '../../clock.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

import { openChainFollower, type ChainFollowerDependencies } from './chain-follower.ts'

export interface AcceptRestoredDependencies extends Omit<ChainFollowerDependencies, 'store' | 'acceptsRestored' | 'onFault'> {
  readonly store: Pick<Store, 'read' | 'write' | 'watchAudit'>
  readonly clock: Clock
}

/**
 * Accepts the database as it is: the ends of its audit chains and the versions that its audit has are recorded instead of those that the service knew.
 * Writes an audit entry first. Only while no service runs on this database, because a running one refuses what it knows to be old. Returns the number of
 * faults of the chains, which `audit verify` lists.
 */
export async function acceptRestored(deps: AcceptRestoredDependencies): Promise<number> {
  const { store, clock } = deps
  const entry = { at: clock.now(), actor: 'operator', action: 'database.restored', merchantId: '', subject: 'database', version: 0 }
  await store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId: '', outcome: 'done' } })
  let faults = 0
  const follower = await openChainFollower({ ...deps, acceptsRestored: true, onFault: () => (faults += 1) })
  await follower.close()
  return faults
}
