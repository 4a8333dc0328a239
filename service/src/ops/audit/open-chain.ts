import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { KeyStoreMismatch } from '../../domain/keys/key-store-mismatch.ts'
import { insertAuditEntry, listAuditHeads } from '../../store/audit.ts'
import { type Store, type StoreLock, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'

import { boundaryChanges, findBoundary } from './boundary.ts'

export interface AuditChainDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: { info(event: string, fields: { readonly count?: number }): void }
  /** Ends the wait for another process. */
  readonly stopping: AbortSignal
  /** Runs the step again while it throws `StoreUnavailable`, as long as a start waits for its database. */
  readonly retry: <T>(step: () => Promise<T>) => Promise<T>
}

/**
 * Gives the store its audit key, before anything is audited. The first time on a database it also writes the boundary entry: it names the last entry
 * without a key of every chain, and entries without a key after it are refused. That it was written is marked in the key store, where somebody who
 * writes the database cannot undo it, so that it is never written a second time over a chain that somebody changed. Throws `KeyStoreMismatch` when the
 * boundary was written under another key store.
 */
export async function openAuditChain(deps: AuditChainDependencies): Promise<void> {
  await deps.retry(async () => {
    try {
      if (!isMarked(deps)) await writeBoundary(deps)
    } catch (err) {
      // A boundary that may have been written is found by the next attempt.
      throw err instanceof StoreOutcomeUnknown ? new StoreUnavailable(err.message, { cause: err }) : err
    }
    deps.store.setAuditKey(await deps.keyring.active('audit'))
  })
}

async function writeBoundary(deps: AuditChainDependencies): Promise<void> {
  const { store, keyring, clock, log } = deps
  const lock = await awaitLock(deps)
  try {
    // What the keyring loaded when it was opened is older than the lock.
    await keyring.read()
    if (isMarked(deps)) return
    const { boundary, hasCandidates } = await findBoundary(store, keyring)
    if (boundary === null && hasCandidates) throw new KeyStoreMismatch('the audit of this database was keyed under another key store')
    if (boundary === null) {
      store.setAuditKey(await keyring.active('audit'))
      const heads = (await listAuditHeads(store)).filter(({ seq }) => seq > 0)
      const entry = { at: clock.now(), actor: 'system', action: 'audit.chain_keyed', merchantId: '', subject: 'audit', version: 0 }
      const rest = { mac: new Uint8Array(0), requestId: '', outcome: 'done', changes: boundaryChanges(heads) }
      await store.write(insertAuditEntry, { audit: { ...entry, ...rest } })
      if (heads.length > 0) log.info('audit_chain_keyed', { count: heads.length })
    }
    await lock.check()
    await keyring.active('audit', markOwner)
  } finally {
    await lock.release()
  }
}

/** Whether the boundary was written in the life of this key store. */
export function isMarked({ keyring }: { readonly keyring: Pick<Keyring, 'list'> }): boolean {
  return keyring.list().some(({ purpose, owner }) => purpose === 'audit' && owner === markOwner)
}

async function awaitLock({ store, clock, stopping }: AuditChainDependencies): Promise<StoreLock> {
  for (;;) {
    const lock = await store.tryLock('audit-chain')
    if (lock !== null) return lock
    await clock.sleep(1000, stopping)
  }
}

/** The owner of the key that marks that the boundary was written. */
const markOwner = 'chain_keyed'
