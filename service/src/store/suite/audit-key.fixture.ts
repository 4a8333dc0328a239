import { createSecretKey } from 'node:crypto'

import type { Dek } from '@tessera/vault/dek'

import type { Store } from '../store.ts'

/** The audit key of stores under test. An application that is created on the store replaces it by that of its key store. */
export const testAuditKey: Dek = {
  keyId: 'a0'.repeat(16),
  purpose: 'audit',
  owner: '',
  epoch: 1,
  createdAt: 0,
  key: createSecretKey(Uint8Array.from({ length: 32 }, (_, at) => at)),
}

/** A key store with this key alone. */
export const testAuditKeys = {
  byId: (keyId: string) => (keyId === testAuditKey.keyId ? testAuditKey : Promise.reject(new Error('unknown'))),
}

/** The same store, which can write audit entries from now on. */
export function withTestAuditKey(store: Store): Store {
  store.setAuditKey(testAuditKey)
  return store
}
