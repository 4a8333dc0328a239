import type { Keyring } from '@tessera/vault/keyring'

import { listMacKeys, listNamedKeys, namedKeyColumns, tablesWithMacs } from '../../store/named-keys.ts'
import type { Store } from '../../store/store.ts'
import type { Walk } from '../../store/walk.ts'

/** A key that rows name, and that the key store does not have, or has for something else. */
export interface MissingKey {
  readonly table: string
  readonly keyId: string
  readonly what: string
}

export interface NamedKeysReport {
  /** How many different keys the rows name. */
  readonly named: number
  readonly missing: readonly MissingKey[]
}

export interface NamedKeysDependencies {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'list' | 'read'>
  readonly walk: Walk
}

/**
 * Compares the ids of keys in all rows with the key store. A key that an operator destroyed is still listed there. A key is durable before anything is
 * written with it, so a key store that is read after the rows has all of their keys.
 */
export async function findMissingKeys({ store, keyring, walk }: NamedKeysDependencies): Promise<NamedKeysReport> {
  const named: NamedKey[] = []
  walk.begin('keys that rows name', namedKeyColumns.length + tablesWithMacs.length)
  for (const column of namedKeyColumns) {
    for (const keyId of await store.read(listNamedKeys(column))) named.push({ ...column, keyId })
    await walk.advance(1)
  }
  for (const table of tablesWithMacs) {
    for (const keyId of await store.read(listMacKeys(table))) named.push({ table, keyId, purpose: 'row_mac' })
    await walk.advance(1)
  }
  await keyring.read()
  const purposes = new Map(keyring.list().map((key) => [key.keyId, key.purpose]))
  const missing = named.flatMap(({ table, keyId, purpose }) => {
    const stored = purposes.get(keyId)
    if (stored === undefined) return [{ table, keyId, what: 'rows name this key, and the key store does not have it' }]
    if (purpose === null || purpose === stored) return []
    return [{ table, keyId, what: `rows name this key for ${purpose}, and the key store has it for ${stored}` }]
  })
  return { named: new Set(named.map(({ keyId }) => keyId)).size, missing }
}

interface NamedKey {
  readonly table: string
  readonly keyId: string
  readonly purpose: string | null
}
