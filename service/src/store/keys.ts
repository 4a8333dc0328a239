import type { WrappedKey } from '@tessera/vault/keyring'
import { text, oneOf, integer, timestamp, bytes } from './columns.ts'
import { table } from './table.ts'
import { type Row, type Value, sql } from './statement.ts'

// prettier-ignore
export const keysTable = table('keys', {
  keyId:      text().key(),
  purpose:    oneOf('card', 'otp', 'limits', 'row_mac', 'pepper', 'idempotency', 'webhook', 'dashboard'),
  owner:      text(),
  epoch:      integer(),
  state:      oneOf('active', 'decrypt_only', 'destroyed'),
  kekId:      text(),
  wrapped:    bytes(),
  checkValue: bytes(),
  createdAt:  timestamp(),
}, 'wrapped under the KEK with purpose, owner and epoch in the associated data')

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
