import type { WrappedKey } from '@tessera/vault/keyring'
import { bytes, integer, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'

// The wrapped data keys lie in a store of their own and are written one at a time: each question is one statement.

const columns = 'key_id, purpose, owner, epoch, state, kek_id, wrapped, check_value, created_at'

export const listKeys = {
  statement: sql`select ${columns} from keys order by purpose, owner, epoch`,
  tell: (found: readonly Row[]): WrappedKey[] => found.map(tellKey),
}

/** No row comes back when the key's epoch is taken: another process was first. */
export const insertKey = {
  statement: sql`insert into keys (${columns}) values (${places(9)}) on conflict (purpose, owner, epoch) do nothing returning key_id`,
  values: (key: WrappedKey): Value[] => [
    ...[key.keyId, key.purpose, key.owner, key.epoch, key.state, key.kekId],
    ...[key.wrapped, key.checkValue, key.createdAt],
  ],
}

/** Destroying drops the wrapped bytes; a destroyed key never comes back to another state. */
export const setKeyState = {
  statement: sql`
    update keys set state = $2, wrapped = case when $2 = 'destroyed' then $3 else wrapped end
    where key_id = $1 and state <> 'destroyed'
    returning key_id`,
  values: (keyId: string, state: WrappedKey['state']): Value[] => [keyId, state, new Uint8Array(0)],
}

function tellKey(row: Row): WrappedKey {
  return {
    keyId: text(row, 'key_id'),
    purpose: word(row, 'purpose', ['card', 'otp', 'limits', 'row_mac', 'pepper', 'idempotency', 'webhook', 'dashboard']),
    owner: text(row, 'owner'),
    epoch: integer(row, 'epoch'),
    state: word(row, 'state', ['active', 'decrypt_only', 'destroyed']),
    kekId: text(row, 'kek_id'),
    wrapped: bytes(row, 'wrapped'),
    checkValue: bytes(row, 'check_value'),
    createdAt: integer(row, 'created_at'),
  }
}
