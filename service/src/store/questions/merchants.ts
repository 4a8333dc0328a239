import { bytes, integer, RowBroken, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AuditNote, Credential, CredentialUse, ListedMerchantRow, MerchantRow } from '../store.ts'
import { note, one } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columns = 'id, bucket, version, state, name, organization, address, settings, credentials, created_at, mac'

const insertRow = sql`insert into merchants (${columns}) values (${places(11)}) on conflict (id) do nothing returning id`

/** Keeps a merchant if its id is new; an existing one stays as it is. Tells whether it was new. */
export function* insertMerchant(ask: { merchant: MerchantRow; audit: AuditNote }): Unit<boolean> {
  const { id, bucket, createdAt, mac } = ask.merchant
  if ((yield* one(insertRow, [id, bucket, ...changing(ask.merchant), createdAt, mac])) === null) return false
  yield* note(ask.audit)
  return true
}

const updateRow = sql`
  update merchants set version = $2, state = $3, name = $4, organization = $5, address = $6, settings = $7, credentials = $8, mac = $9
  where id = $1 and version = $2 - 1 returning id`

/** Puts `next` in place of the version before it, if that is still the one that is kept. */
export function* changeMerchant(ask: { next: MerchantRow; audit: AuditNote }): Unit<boolean> {
  const { next } = ask
  if ((yield* one(updateRow, [next.id, ...changing(next), next.mac])) === null) return false
  yield* note(ask.audit)
  return true
}

function changing({ version, state, name, organization, address, settings, credentials }: MerchantRow): Value[] {
  return [version, state, name, organization, address, settings, writeCredentials(credentials)]
}

const selectRow = sql`select ${columns} from merchants where id = $1`

export function findMerchant(merchantId: string): Read<MerchantRow | null> {
  return { statement: selectRow, values: [merchantId], tell: ([row]) => (row === undefined ? null : tellMerchant(row)) }
}

const selectPage = sql`select ${columns} from merchants where id > $1 order by id limit $2`

/** In the order of their ids, from behind `after`. */
export function listMerchants(after: string, count: number): Read<ListedMerchantRow[]> {
  return { statement: selectPage, values: [after, count], tell: (found) => found.map(tellListed) }
}

function tellListed(row: Row): ListedMerchantRow {
  try {
    return tellMerchant(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    return { id: text(row, 'id'), brokenAt: err.column }
  }
}

const upsertUse = sql`
  insert into credential_uses (merchant_id, number, last_used_at) values ($1, $2, $3)
  on conflict (merchant_id, number) do update set last_used_at = excluded.last_used_at
  where credential_uses.last_used_at < excluded.last_used_at returning number`

export function* noteCredentialUse(use: CredentialUse): Unit<void> {
  yield* one(upsertUse, [use.merchantId, use.number, use.lastUsedAt])
}

const selectUses = sql`select merchant_id, number, last_used_at from credential_uses where merchant_id = $1 order by number`

export function listCredentialUses(merchantId: string): Read<CredentialUse[]> {
  return { statement: selectUses, values: [merchantId], tell: (found) => found.map(tellUse) }
}

function tellUse(row: Row): CredentialUse {
  return { merchantId: text(row, 'merchant_id'), number: integer(row, 'number'), lastUsedAt: integer(row, 'last_used_at') }
}

function tellMerchant(row: Row): MerchantRow {
  return {
    id: text(row, 'id'),
    bucket: integer(row, 'bucket'),
    version: integer(row, 'version'),
    state: word(row, 'state', ['active', 'blocked']),
    name: text(row, 'name'),
    organization: text(row, 'organization'),
    address: text(row, 'address'),
    settings: text(row, 'settings'),
    credentials: readCredentials(text(row, 'credentials')),
    createdAt: integer(row, 'created_at'),
    mac: bytes(row, 'mac'),
  }
}

/** All passwords of a merchant lie in one column: nothing is ever asked of one alone. */
function writeCredentials(credentials: readonly Credential[]): string {
  return JSON.stringify(credentials.map((each) => ({ ...each, hash: Buffer.from(each.hash).toString('hex') })))
}

function readCredentials(json: string): readonly Credential[] {
  const read = readJson(json)
  if (!Array.isArray(read)) throw new RowBroken('credentials')
  return read.map(readCredential)
}

function readCredential(read: unknown): Credential {
  if (typeof read !== 'object' || read === null) throw new RowBroken('credentials')
  const { number, hash, pepperKeyId, createdAt, retiredAt } = read as Readonly<Record<string, unknown>>
  if (!isWhole(number) || !isWhole(createdAt) || typeof pepperKeyId !== 'string') throw new RowBroken('credentials')
  if (typeof hash !== 'string' || !/^([0-9a-f]{64})?$/.test(hash)) throw new RowBroken('credentials')
  if (retiredAt !== null && !isWhole(retiredAt)) throw new RowBroken('credentials')
  return { number, hash: Uint8Array.from(Buffer.from(hash, 'hex')), pepperKeyId, createdAt, retiredAt }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
