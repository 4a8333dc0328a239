import type { WrappedKey } from '@tessera/vault/keyring'
import { text, oneOf, integer, timestamp, bytes } from './columns.ts'
import { table } from './table.ts'
import { type Row, type Value, sql } from './statement.ts'

// prettier-ignore
export const keysTable = table('keys', {
  keyId:      text().key(),
  purpose:    oneOf('card', 'otp', 'limits', 'phone', 'row_mac', 'pepper', 'idempotency', 'webhook', 'dashboard', 'audit', 'audit_signing'),
  owner:      text(),
  epoch:      integer(),
  state:      oneOf('active', 'decrypt_only', 'destroyed'),
  kekId:      text(),
  wrapped:    bytes(),
  checkValue: bytes(),
  createdAt:  timestamp(),
}, 'wrapped under the KEK with purpose, owner and epoch in the associated data')

// prettier-ignore
export const keyStoreValuesTable = table('key_store_values', {
  name:  text().key(),
  value: bytes(),
}, 'values bear a MAC of their own')

/** One named value of the key store; no row when it was never saved. */
export const findValue = {
  statement: sql`select ${keyStoreValuesTable.columns} from key_store_values where name = $1`,
  map: (found: readonly Row[]): Uint8Array | null => found.map(keyStoreValuesTable.fromRow)[0]?.value ?? null,
}

/** The values whose names begin with a prefix that ends with a dot, by name. */
export const listValues = {
  statement: sql`select ${keyStoreValuesTable.columns} from key_store_values where name >= $1 and name < $2 order by name`,
  values: (prefix: string): Value[] => [prefix, `${prefix.slice(0, -1)}/`],
  map: (found: readonly Row[]): NamedValue[] => found.map(keyStoreValuesTable.fromRow),
}

/** A value of the key store. */
export interface NamedValue {
  readonly name: string
  readonly value: Uint8Array
}

/** The named values beside the keys. */
export interface KeyStoreValues {
  /** Those whose names begin with a prefix that ends with a dot, by name. */
  listValues(prefix: string): Promise<NamedValue[]>
  /** Durable when it resolves. */
  saveValue(name: string, value: Uint8Array): Promise<void>
}

export const saveValue = {
  statement: sql`${keyStoreValuesTable.insertSql} on conflict (name) do update ${keyStoreValuesTable.replaceSql}`,
  values: (name: string, value: Uint8Array): Value[] => keyStoreValuesTable.toValues({ name, value }),
}

export const listKeys = {
  statement: sql`select ${keysTable.columns} from keys order by purpose, owner, epoch`,
  map: (found: readonly Row[]): WrappedKey[] => found.map(keysTable.fromRow),
}

/** Returns no row when another process has inserted a key of this epoch first. */
export const insertKey = {
  statement: sql`${keysTable.insertSql} on conflict (purpose, owner, epoch) do nothing returning key_id`,
  values: (key: WrappedKey): Value[] => keysTable.toValues(key),
}

/** Destroying a key deletes its wrapped bytes; a destroyed key never gets another state. */
export const setKeyState = {
  statement: sql`
    update keys set state = $2, wrapped = case when $2 = 'destroyed' then $3 else wrapped end
    where key_id = $1 and state <> 'destroyed'
    returning key_id`,
  values: (keyId: string, state: WrappedKey['state']): Value[] => [keyId, state, new Uint8Array(0)],
}

/** Stores what another KEK wrapped, if the key is as it was read. Returns no row when it is not. */
export const replaceWrappedKey = {
  statement: sql`
    update keys set kek_id = $2, wrapped = $3 where key_id = $1 and wrapped = $4 and state <> 'destroyed' returning key_id`,
  values: ({ keyId, wrapped: before }: WrappedKey, { kekId, wrapped }: Pick<WrappedKey, 'kekId' | 'wrapped'>): Value[] => [
    keyId,
    kekId,
    wrapped,
    before,
  ],
}
