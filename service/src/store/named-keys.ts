import type { KeyPurpose } from '@tessera/vault/dek'

import { readBytes, readText } from './columns.ts'
import { macTables } from './mac-tables.ts'
import { makeStatement } from './statement.ts'
import type { Read } from './transaction.ts'

// Which data keys the rows of the database name. A row whose key is missing cannot be opened, or not be compared, any more.

/** A column that names a key, and what the key is for. */
export interface NamedKeyColumn {
  readonly table: string
  readonly column: string
  /** Null: for keys of any purpose. */
  readonly purpose: KeyPurpose | null
}

/** Every column that holds the id of a data key as text. A test compares the list with the schema. */
// prettier-ignore
export const namedKeyColumns: readonly NamedKeyColumn[] = [
  { table: 'audit',                    column: 'key_id',        purpose: 'audit' },
  { table: 'cards',                    column: 'key_id',        purpose: 'card' },
  { table: 'form_cards',               column: 'key_id',        purpose: 'idempotency' },
  { table: 'verifications',            column: 'otp_key_id',    purpose: 'otp' },
  { table: 'idempotency',              column: 'hash_key_id',   purpose: 'idempotency' },
  { table: 'send_limits',              column: 'key_id',        purpose: 'limits' },
  { table: 'day_tries',                column: 'key_id',        purpose: 'limits' },
  { table: 'sms_sends',                column: 'key_id',        purpose: 'phone' },
  { table: 'dashboard_sessions',       column: 'pepper_key_id', purpose: 'pepper' },
  { table: 'dashboard_recovery_codes', column: 'pepper_key_id', purpose: 'pepper' },
  { table: 'known_devices',            column: 'pepper_key_id', purpose: 'pepper' },
  { table: 'known_answers',            column: 'key_id',        purpose: null },
]

/** The ids in a column, each once; without empty ones. */
export function listNamedKeys({ table, column }: NamedKeyColumn): Read<string[]> {
  const statement = makeStatement(`select distinct ${column} as key_id from ${table} where ${column} <> ''`)
  return { statement, values: [], map: (rows) => rows.map((row) => readText(row, 'key_id')) }
}

/** The tables whose rows bear a MAC, which begins with the id of its key. */
export const tablesWithMacs: readonly string[] = macTables.map(({ table }) => table.name)

/** The ids of the keys of a table's MACs, hex, each once. */
export function listMacKeys(table: string): Read<string[]> {
  const statement = makeStatement(`select distinct substr(mac, 1, 16) as key_id from ${table} where length(mac) > 0`)
  return { statement, values: [], map: (rows) => rows.map((row) => Buffer.from(readBytes(row, 'key_id')).toString('hex')) }
}
