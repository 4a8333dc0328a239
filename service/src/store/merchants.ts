import type { MacField } from '@tessera/vault/rowmac'

import type { AuditEntry } from './audit.ts'
import { text, oneOf, integer, timestamp, rowMac, mappedText, RowBroken, readText } from './columns.ts'
import { deleteMerchantLogo, type MerchantLogoRow, replaceMerchantLogo } from './merchant-logos.ts'
import { table, type RowOf } from './table.ts'
import { type Row, type Value, sql } from './statement.ts'
import { type Read, type Transaction, runOne, writeAudit } from './transaction.ts'

/** A broken row must not hide the other rows of a list: only its id and the broken column are returned. */
export type ListedMerchantRow = MerchantRow | { readonly id: string; readonly brokenAt: string }

// prettier-ignore
export const merchantsTable = table('merchants', {
  id:           text().key(),
  bucket:       integer(),
  version:      integer().versionOf('id'),         // from 1; each change adds one
  state:        oneOf('active', 'blocked'),
  name:         text(),                            // as shown to cardholders
  organization: text(),                            // legal name and address; '' when unknown
  address:      text(),
  settings:     text(),                            // JSON (domain/merchants/settings.ts)
  credentials:  mappedText(parseCredentials, formatCredentials).coveredAs(credentialMacFields), // newest first; two are active during a rotation, the others are retired
  createdAt:    timestamp(),
  // Empty in rows from before merchants had a MAC.
  mac:          rowMac(
    'id', 'bucket', 'version', 'state', 'name', 'organization', 'address', 'settings', 'createdAt', 'credentials',
  ),
})

export type MerchantRow = RowOf<typeof merchantsTable>

/** An API password of a merchant, active or retired. */
export interface Credential {
  /** From 1, in the order of creation. */
  readonly number: number
  /** 32 bytes: the keyed hash under the pepper of `pepperKeyId`; empty once retired. */
  readonly hash: Uint8Array
  readonly pepperKeyId: string
  readonly createdAt: number
  readonly retiredAt: number | null
  /** `cards`: cards.* and form.sessions.* only. `full`: every method. */
  readonly scope: 'cards' | 'full'
  /** What the merchant calls it: the server that has it; '' without one. */
  readonly label: string
}

// prettier-ignore
export const credentialUsesTable = table('credential_uses', {
  merchantId: text().key(),
  number:     integer().key(),
  lastUsedAt: timestamp(),
}, 'shown and counted only: nothing is decided by these rows')

export type CredentialUse = RowOf<typeof credentialUsesTable>

export type { MerchantKey } from './transaction.ts'

/**
 * The number of credentials varies, so it is covered as well. The numbers of those with a scope follow behind all others, and then the labels: without one the
 * MAC is the same as before there were scopes, or labels.
 */
function credentialMacFields(credentials: readonly Credential[]): readonly MacField[] {
  const fieldsOf = ({ number, hash, pepperKeyId, createdAt, retiredAt }: Credential) => [number, hash, pepperKeyId, createdAt, retiredAt]
  const scoped = credentials.filter(({ scope }) => scope === 'cards').map(({ number }) => number)
  const labels = credentials.filter(({ label }) => label !== '').map(({ number, label }) => [number, label])
  return [
    credentials.length,
    ...credentials.flatMap(fieldsOf),
    ...(scoped.length === 0 ? [] : [`cards ${scoped.join(' ')}`]),
    ...(labels.length === 0 ? [] : [`labels ${JSON.stringify(labels)}`]),
  ]
}

const insertRow = sql`${merchantsTable.insertSql} on conflict (id) do nothing returning id`

export interface MerchantChange {
  readonly merchant: MerchantRow
  readonly audit: AuditEntry
  /** Null deletes it; left out, it stays. */
  readonly logo?: MerchantLogoRow | null
}

/** Inserts a merchant. Returns false and changes nothing when the id exists. */
export function* insertMerchant({ merchant, audit, logo }: MerchantChange): Transaction<boolean> {
  const { id, bucket, createdAt, mac } = merchant
  if ((yield* runOne(insertRow, [id, bucket, ...changingValues(merchant), createdAt, mac])) === null) return false
  yield* changeLogo(merchant, logo)
  yield* writeAudit(audit)
  return true
}

const updateRow = sql`
  update merchants set version = $2, state = $3, name = $4, organization = $5, address = $6, settings = $7, credentials = $8, mac = $9
  where id = $1 and version = $2 - 1 returning id`

/** Replaces version `merchant.version - 1`. Returns false when another change came first. */
export function* updateMerchant({ merchant, audit, logo }: MerchantChange): Transaction<boolean> {
  if ((yield* runOne(updateRow, [merchant.id, ...changingValues(merchant), merchant.mac])) === null) return false
  yield* changeLogo(merchant, logo)
  yield* writeAudit(audit)
  return true
}

function* changeLogo({ id }: MerchantRow, logo: MerchantChange['logo']): Transaction<void> {
  if (logo === null) yield* deleteMerchantLogo({ merchantId: id })
  else if (logo !== undefined) yield* replaceMerchantLogo(logo)
}

function changingValues({ version, state, name, organization, address, settings, credentials }: MerchantRow): Value[] {
  return [version, state, name, organization, address, settings, formatCredentials(credentials)]
}

const selectRow = sql`select ${merchantsTable.columns} from merchants where id = $1`

export function findMerchant(merchantId: string): Read<MerchantRow | null> {
  return { statement: selectRow, values: [merchantId], map: ([row]) => (row === undefined ? null : merchantsTable.fromRow(row)) }
}

const selectPage = sql`select ${merchantsTable.columns} from merchants where id > $1 order by id limit $2`

/** In the order of their ids, after the id `after`. */
export function listMerchants(after: string, count: number): Read<ListedMerchantRow[]> {
  return { statement: selectPage, values: [after, count], map: (rows) => rows.map(toListedMerchant) }
}

function toListedMerchant(row: Row): ListedMerchantRow {
  try {
    return merchantsTable.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    return { id: readText(row, 'id'), brokenAt: err.column }
  }
}

const upsertUse = sql`
  insert into credential_uses (merchant_id, number, last_used_at) values ($1, $2, $3)
  on conflict (merchant_id, number) do update set last_used_at = excluded.last_used_at
  where credential_uses.last_used_at < excluded.last_used_at returning number`

/** Records the last use of a password. An earlier time than the stored one changes nothing. */
export function* recordCredentialUse(use: CredentialUse): Transaction<void> {
  yield* runOne(upsertUse, [use.merchantId, use.number, use.lastUsedAt])
}

const selectUses = sql`select merchant_id, number, last_used_at from credential_uses where merchant_id = $1 order by number`

export function listCredentialUses(merchantId: string): Read<CredentialUse[]> {
  return { statement: selectUses, values: [merchantId], map: (rows) => rows.map(credentialUsesTable.fromRow) }
}

/** All passwords of a merchant are stored in one column, since they are always read together. */
function formatCredentials(credentials: readonly Credential[]): string {
  return JSON.stringify(credentials.map((each) => ({ ...each, hash: Buffer.from(each.hash).toString('hex') })))
}

function parseCredentials(json: string): readonly Credential[] | null {
  const read = readJson(json)
  return Array.isArray(read) ? read.map(readCredential) : null
}

function readCredential(read: unknown): Credential {
  if (typeof read !== 'object' || read === null) throw new RowBroken('credentials')
  const { number, hash, pepperKeyId, createdAt, retiredAt, scope = 'full', label = '' } = read as Readonly<Record<string, unknown>>
  if (!isWhole(number) || !isWhole(createdAt) || typeof pepperKeyId !== 'string') throw new RowBroken('credentials')
  if (typeof hash !== 'string' || !/^([0-9a-f]{64})?$/.test(hash)) throw new RowBroken('credentials')
  if (retiredAt !== null && !isWhole(retiredAt)) throw new RowBroken('credentials')
  if ((scope !== 'full' && scope !== 'cards') || typeof label !== 'string') throw new RowBroken('credentials')
  return { number, hash: Uint8Array.from(Buffer.from(hash, 'hex')), pepperKeyId, createdAt, retiredAt, scope, label }
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
