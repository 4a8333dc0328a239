import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import type { Expiry } from '@tessera/contract/card'
import type { Dek } from '@tessera/vault/dek'
import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type MacField } from '@tessera/vault/rowmac'

import { macTables } from './mac-tables.ts'
import type { Columns } from './columns.ts'
import type { Table } from './table.ts'
import { type CardRow, cardsTable } from './cards.ts'
import { type DashboardUserRow, dashboardUsersTable } from './dashboard-users.ts'
import { type FormSessionRow, formSessionsTable } from './form-sessions.ts'
import { type MerchantRow, merchantsTable } from './merchants.ts'
import { type OperationRow, operationsTable } from './operations.ts'
import { type EndpointRow, webhookEndpointsTable } from './webhook-endpoints.ts'
import { type ReceiptRow, receiptsTable } from './receipts.ts'

const dek: Dek = {
  keyId: '00112233445566778899aabbccddeeff',
  purpose: 'row_mac',
  owner: '',
  epoch: 1,
  createdAt: 0,
  key: createSecretKey(Uint8Array.from({ length: 32 }, (_, i) => i)),
}
const mac = new Uint8Array(0)
const merchantId = '65f0c0ffee0000000000cafe'

const card: CardRow = {
  bucket: 11,
  cardId: '6745a1f0000a3f5c0d2e4b61',
  merchantId,
  tokenHash: Uint8Array.of(1, 2, 3),
  maskedPan: '860006******6311',
  type: '18010',
  expiry: '0399' as Expiry,
  recurrent: true,
  verified: false,
  state: 'live',
  version: 3,
  keyId: '0f'.repeat(16),
  blob: Uint8Array.of(9, 8, 7),
  mac,
  customer: 'the payer “17”',
  account: '{"order":"17"}',
  consent: null,
  createdAt: 1_700_000_000_001,
  verifiedAt: null,
  endsAt: 1_700_000_000_002,
  endedAt: null,
}

const formSession: FormSessionRow = {
  bucket: 12,
  sessionId: '6745a1f0000a3f5c0d2e4b62',
  merchantId,
  hash: Uint8Array.of(4, 5),
  origin: 'https://shop.example',
  customer: null,
  save: 'ask',
  locale: 'uz',
  attemptsLeft: 9,
  createdAt: 1_700_000_000_003,
  endsAt: 1_700_000_000_004,
  returnTo: 'https://shop.example/paid',
  cancelledAt: 0,
  version: 1,
  amountTiyin: 0,
  orderText: '',
  cards: '',
  picked: '',
  removals: '',
  mac,
}

const merchant: MerchantRow = {
  id: merchantId,
  bucket: 13,
  version: 2,
  state: 'active',
  name: 'Shop',
  organization: 'Shop LLC',
  address: '',
  settings: '{"origins":[]}',
  credentials: [
    { number: 2, hash: Uint8Array.of(6), pepperKeyId: 'aa', createdAt: 1_700_000_000_005, retiredAt: null, scope: 'full', label: '' },
    {
      number: 1,
      hash: new Uint8Array(0),
      pepperKeyId: 'bb',
      createdAt: 1_600_000_000_005,
      retiredAt: 1_700_000_000_006,
      scope: 'full',
      label: '',
    },
  ],
  createdAt: 1_700_000_000_007,
  mac,
}

const receipt: ReceiptRow = {
  bucket: 14,
  receiptId: '6745a1f0000a3f5c0d2e4b63',
  merchantId,
  state: 4,
  version: 5,
  mac,
  amountTiyin: 500_000,
  takenTiyin: 400_000,
  hold: false,
  description: 'Tea',
  detail: null,
  account: '[]',
  payer: '{"phone":"1"}',
  error: null,
  cardId: card.cardId,
  maskedPan: card.maskedPan,
  cardExpiry: '0399',
  oneTime: true,
  networkRef: 'ref 1',
  requestId: '6745a1f0000a3f5c0d2e4b64',
  customer: null,
  createdAt: 1_700_000_000_008,
  payTime: 1_700_000_000_009,
  cancelTime: 0,
  sourceCancel: null,
  fiscal: '{"a":1}',
  unknownSince: 0,
  flagged: false,
  dueAt: 1_700_000_000_010,
  reconcileAttempts: 2,
  operationsDigest: new Uint8Array(0),
}

const user: DashboardUserRow = {
  userId: '6745a1f0000a3f5c0d2e4b65',
  merchantId,
  phone: '998901234567',
  role: 'owner',
  state: 'active',
  version: 6,
  verifier: 'scrypt$1',
  mustChange: true,
  totp: Uint8Array.of(7, 7),
  createdAt: 1_700_000_000_011,
  sessionsFrom: 0,
  keptSession: '',
  mac,
  failedAttempts: 1,
  lockedUntil: 2,
  totpStep: 3,
  failedCodes: 4,
  codesLockedUntil: 5,
  name: '',
  lastSignInAt: 0,
}

const samples: ReadonlyMap<string, object> = new Map<string, object>([
  ['cards', card],
  ['form_sessions', formSession],
  ['merchants', merchant],
  ['receipts', receipt],
  ['dashboard_users', user],
])
const keyring: Pick<Keyring, 'active' | 'byId'> = { active: () => Promise.resolve(dek), byId: () => dek }

test('a row has the MAC that it had before its column map said what the MAC covers', async () => {
  const sealed = await Promise.all([
    makeRowAuthenticator(keyring, 'test', cardsTable).seal(card),
    makeRowAuthenticator(keyring, 'test', formSessionsTable).seal(formSession),
    makeRowAuthenticator(keyring, 'test', merchantsTable).seal(merchant),
    makeRowAuthenticator(keyring, 'test', receiptsTable).seal(receipt),
    makeRowAuthenticator(keyring, 'test', dashboardUsersTable).seal(user),
  ])
  assert.deepEqual(
    sealed.map((row) => Buffer.from(row.mac.subarray(16)).toString('hex')),
    [
      'f054fa6ddabe587981477cdf5e5dfa0880e8e45b865807ad59352bd235dd128b',
      'e22cecb97be4d8170406d35bbf431e5c2dc143bf3126b972cce04f0177307cf9',
      '1d0198127812513b3efed6becf041a5dc8362241cf4541e6756f6a4cfa0bc9d9',
      '5acb7cf7809ce569933318a26f2a02eabb5ad251ad53f2868d40e0c86c6dfd8c',
      '858d68b7d5a7847ab6cbfae27dc0f0f1e2b43917c94dd1e88777dfa68d3de1f6',
    ],
  )
})

test('the MAC covers every column of every table, but for those that its map leaves out with a reason', async () => {
  const leftOut: string[] = []
  for (const table of await tablesWithMac()) {
    const row = samples.get(table.name) ?? sampleOf(table)
    leftOut.push(...uncovered(table, table.macFields, row))
    assert.deepEqual(
      uncovered(table, table.macFields, row).filter((name) => !name.endsWith('.mac')),
      table.fields.filter(({ isCovered, member }) => !isCovered && member !== 'mac').map(({ member }) => `${table.name}.${member}`),
    )
  }
  assert.deepEqual(
    leftOut.filter((name) => !name.endsWith('.mac')),
    [
      ...['failedAttempts', 'lockedUntil', 'totpStep', 'failedCodes', 'codesLockedUntil', 'lastSignInAt'].map(
        (member) => `dashboard_users.${member}`,
      ),
      'disclosures.lastUsedAt',
      'idempotency.processId',
      'idempotency.sealed',
      ...['address', 'fingerprint', 'integrity', 'party', 'firstAt', 'lastAt'].map((member) => `page_scripts.${member}`),
      ...['attempts', 'open'].map((member) => `verifications.${member}`),
    ],
  )
})

test('every table with a MAC is compared with the audit or read by `tessera audit verify`', async () => {
  assert.deepEqual(macTables.map(({ table }) => table.name).sort(), (await tablesWithMac()).map(({ name }) => name).sort())
})

test('the labels of passwords change the MAC of their merchant, each at its own password', async () => {
  const macOf = async (...labels: string[]): Promise<string> => {
    const credentials = merchant.credentials.map((each, at) => ({ ...each, label: labels[at] ?? '' }))
    return Buffer.from((await makeRowAuthenticator(keyring, 'test', merchantsTable).seal({ ...merchant, credentials })).mac).toString('hex')
  }
  const macs = await Promise.all([macOf(), macOf('a', 'b'), macOf('b', 'a'), macOf('a'), macOf('', 'a'), macOf('a,b')])
  assert.equal(new Set(macs).size, macs.length)
})

test('an operation from before there were several networks has the MAC that it had then', async () => {
  const row: Record<string, unknown> = { ...sampleOf(operationsTable as unknown as AnyTable), network: '', trace: '' }
  const sealed = await makeRowAuthenticator(keyring, 'test', operationsTable).seal(row as unknown as OperationRow)
  assert.equal(Buffer.from(sealed.mac.subarray(16, 24)).toString('hex'), '29c15081e1973919')
})

test('an endpoint from before events could be chosen has the MAC that it had then', async () => {
  const row = { ...sampleOf(webhookEndpointsTable as unknown as AnyTable), types: '', disabledAt: 0 }
  const sealed = await makeRowAuthenticator(keyring, 'test', webhookEndpointsTable).seal(row as unknown as EndpointRow)
  assert.equal(Buffer.from(sealed.mac.subarray(16, 24)).toString('hex'), '8d34da0db33feffc')
})

test('the MACs of the other tables are those of the migrations that added them', async () => {
  const found = new Map<string, string>()
  for (const table of await tablesWithMac()) {
    if (samples.has(table.name)) continue
    const row = sampleOf(table)
    const sealed = await makeRowAuthenticator<MacRow>(keyring, 'test', table).seal(row as MacRow)
    found.set(table.name, Buffer.from(sealed.mac.subarray(16, 24)).toString('hex'))
  }
  assert.deepEqual(Object.fromEntries(found), knownMacs)
})

for (const dialect of ['sqlite', 'postgres'] as const)
  test(`every table of the ${dialect} schema has a column map with a MAC or a reason, or is named here`, async () => {
    const mapped = new Set((await allTables()).map(({ name }) => name))
    assert.deepEqual(
      readSchema(dialect)
        .map(({ name }) => name)
        .filter((name) => !mapped.has(name)),
      withoutMap[dialect],
    )
  })

for (const dialect of ['sqlite', 'postgres'] as const)
  test(`every column of the ${dialect} schema is in the map of its table, or the map says why it is not`, async () => {
    const maps = Map.groupBy(await allTables(), ({ name }) => name)
    let compared = 0
    for (const { name, columns } of readSchema(dialect)) {
      const tables = maps.get(name) ?? []
      if (tables.length === 0) continue
      const known = new Set(tables.flatMap(({ names, unmapped }) => [...names, ...Object.keys(unmapped)]))
      assert.deepEqual([...known].sort(), columns.toSorted(), name)
      compared += columns.length
    }
    assert.ok(compared > 200, 'the control: the schema was read')
  })

interface SchemaTable {
  readonly name: string
  readonly columns: readonly string[]
}

function readSchema(dialect: 'sqlite' | 'postgres'): SchemaTable[] {
  const schema = readFileSync(new URL(`schema/${dialect}.sql`, import.meta.url), 'utf8')
  return [...schema.matchAll(/^create table (\w+) \(([^;]*)\)(?: strict)?;/gm)].map(([, name = '', body = '']) => ({
    name,
    columns: body
      .split(/,(?![^(]*\))/)
      .map((line) => /^\w+/.exec(line.trim())?.[0] ?? '')
      .filter((word) => word !== 'primary'),
  }))
}

const counted = ['sandbox_steps', 'send_limits', 'summary_lease', 'summary_positions', 'tally_places']
/**
 * Their rows decide nothing that a MAC could hold: counters under keys of the day, positions and the sandbox. `primary_epoch` is read before there are keys,
 * and is compared with its record outside of the database.
 */
const withoutMap = { sqlite: ['day_tries', 'migrations', ...counted], postgres: ['day_tries', 'migrations', 'primary_epoch', ...counted] }

test('SECURITY.md says of every table what somebody gets who writes to it', async () => {
  const text = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('### Who writes the database')
  const names = [...section.matchAll(/`([a-z_]+\*?)`/g)].map(([, name = '']) => name)
  const isNamed = (table: string): boolean =>
    names.some((name) => name === table || (name.endsWith('*') && table.startsWith(name.slice(0, -1))))
  const schema = readFileSync(new URL('./schema/postgres.sql', import.meta.url), 'utf8')
  const tables = [...schema.matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'migrations')
  assert.ok(tables.includes('request_segments'))
  assert.deepEqual(
    tables.filter((table) => !isNamed(table)),
    [],
  )
})

// The first eight bytes; the sample of a table without one here is made from its types.
const knownMacs = {
  card_locks: '3042d507f2bd6e6a',
  dashboard_passkeys: '70905633f93706e4',
  dashboard_recovery_codes: 'ee2fbb35d09fe891',
  dashboard_sessions: 'bb667d684c7b8188',
  disclosures: 'de24bddbc3783162',
  idempotency: '7fea0305fb995be3',
  known_devices: 'f6e0874d3dcceec9',
  operations: '38ee05f0c8554e88',
  outbox: 'b641fd4845eb096c',
  page_scripts: 'ea24d1e1f7ef2ec1',
  verifications: '9261f9901be0af55',
  webhook_endpoints: '607322344d7d7e04',
}

interface MacRow {
  readonly mac: Uint8Array
}

type AnyTable = Omit<Table<Columns>, 'macFields'> & { readonly macFields: ((row: object) => readonly MacField[]) | null }
type TableWithMac = Omit<AnyTable, 'macFields'> & { readonly macFields: (row: object) => readonly MacField[] }

async function allTables(): Promise<AnyTable[]> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file))
  const modules = await Promise.all(files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>))
  const tables = modules.flatMap((exported) => Object.values(exported)).filter(isTable)
  return [...new Set(tables)].sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function tablesWithMac(): Promise<TableWithMac[]> {
  return (await allTables()).filter((table): table is TableWithMac => table.macFields !== null)
}

function isTable(value: unknown): value is AnyTable {
  return typeof value === 'object' && value !== null && 'noMacBecause' in value
}

/** A row of any table, made from the types of its columns: its first version, which has the MAC from before there were versions. */
function sampleOf({ fields }: AnyTable): object {
  return Object.fromEntries(fields.map(({ member, type }) => [member, member === 'version' && type === 'integer' ? 1 : sampleValues[type]]))
}

const sampleValues = { text: 'text', integer: 7, bigint: 1_700_000_000_000, smallint: true, bytea: Uint8Array.of(1, 2, 3) }

/** The members whose change does not change the covered fields. */
function uncovered<Row extends object>({ name }: { name: string }, macFields: (row: Row) => readonly MacField[], row: Row): string[] {
  const before = JSON.stringify(macFields(row))
  return Object.entries(row)
    .filter(([member, value]) => JSON.stringify(macFields({ ...row, [member]: changed(value) })) === before)
    .map(([member]) => `${name}.${member}`)
}

function changed(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.of(...value, 1)
  if (Array.isArray(value)) return value.slice(1)
  if (typeof value === 'boolean') return !value
  return typeof value === 'number' ? value + 1 : `${String(value)}x`
}
