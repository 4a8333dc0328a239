import { integer, bytes, RowBroken, text, truth, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, MerchantRow } from '../store.ts'
import { note, one } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columns = 'id, bucket, name, state, password_hashes, pepper_key_id, origins, strict_server_auth, created_at'

const insertRow = sql`insert into merchants (${columns}) values (${places(9)}) on conflict (id) do nothing returning id`

/** Keeps a merchant if its id is new; an existing one stays as it is. Tells whether it was new. */
export function* insertMerchant(ask: { merchant: MerchantRow; audit: AuditNote }): Unit<boolean> {
  const { merchant } = ask
  const inserted = yield* one(insertRow, [
    merchant.id,
    merchant.bucket,
    merchant.name,
    merchant.state,
    joinHashes(merchant.passwordHashes),
    merchant.pepperKeyId,
    JSON.stringify(merchant.origins),
    Number(merchant.strictServerAuth),
    merchant.createdAt,
  ])
  if (inserted === null) return false
  yield* note(ask.audit)
  return true
}

const selectRow = sql`select ${columns} from merchants where id = $1`

export function findMerchant(merchantId: string): Read<MerchantRow | null> {
  return { statement: selectRow, values: [merchantId], tell: ([row]) => (row === undefined ? null : tellMerchant(row)) }
}

function tellMerchant(row: Row): MerchantRow {
  return {
    id: text(row, 'id'),
    bucket: integer(row, 'bucket'),
    name: text(row, 'name'),
    state: word(row, 'state', ['active', 'blocked']),
    passwordHashes: splitHashes(bytes(row, 'password_hashes')),
    pepperKeyId: text(row, 'pepper_key_id'),
    origins: tellOrigins(text(row, 'origins')),
    strictServerAuth: truth(row, 'strict_server_auth'),
    createdAt: integer(row, 'created_at'),
  }
}

/** The hashes lie in one column, one after the other: each has the same length, and nothing is ever asked of one alone. */
function joinHashes(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.some((hash) => hash.length !== HASH_BYTES)) throw new Error(`a password hash is ${HASH_BYTES} bytes`)
  return new Uint8Array(hashes.flatMap((hash) => [...hash]))
}

function splitHashes(joined: Uint8Array): Uint8Array[] {
  if (joined.length % HASH_BYTES !== 0) throw new RowBroken('password_hashes')
  return Array.from({ length: joined.length / HASH_BYTES }, (_, at) => joined.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES))
}

function tellOrigins(json: string): readonly string[] {
  const read = readJson(json)
  if (!Array.isArray(read) || !read.every((each) => typeof each === 'string')) throw new RowBroken('origins')
  return read
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

const HASH_BYTES = 32
