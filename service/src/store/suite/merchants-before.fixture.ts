import assert from 'node:assert/strict'
import { readMigrations } from '../migrations/migrations.ts'
import type { Dialect } from '../migrations/migrations.ts'
import type { MerchantRow } from '../merchants.ts'
import { bytesOf, sampleCredential, makeMerchant, sampleMerchantId } from './samples.fixture.ts'

/** SQL that restores the merchants table from before its settings were one column, with one merchant. */
export function merchantsBefore(dialect: Dialect): string {
  const [table] = /^create table merchants [^;]*;/m.exec(readMigrations(dialect)[0]?.text ?? '') ?? []
  assert.ok(table !== undefined)
  const hex = Buffer.from(bytesOf('password 1')).toString('hex')
  const hash = dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
  const { bucket, createdAt } = makeMerchant()
  return `${table} insert into merchants values ('${sampleMerchantId}', ${bucket}, 'A shop', 'active', ${hash}, '${'aa'.repeat(16)}',
    '["https://shop.example"]', 1, ${createdAt})`
}

/** SQL that restores the indexes from before later migrations replaced them. */
export function cardIndexesBefore(dialect: Dialect): string {
  const [first, ...later] = readMigrations(dialect).map(({ text }) => [
    ...text.matchAll(/^create (?:unique )?index (\w+) on (?:cards|audit|sms_inbox) [^;]*;/gm),
  ])
  const drops = (later.flat() as RegExpMatchArray[]).map(([, index = '']) => `drop index if exists ${index};`)
  return [...drops, ...(first ?? []).map(([text, index = '']) => `drop index if exists ${index}; ${text}`)].join(' ')
}

/** The row with normalized JSON, since the databases differ in blanks. */
export function withoutBlanks(row: MerchantRow | null): MerchantRow | null {
  return row === null ? null : { ...row, settings: JSON.stringify(JSON.parse(row.settings)) }
}

/** The row after the migrations; rows from before have no MAC. */
export const merchantAfter = makeMerchant({
  organization: '',
  address: '',
  mac: new Uint8Array(0),
  credentials: [sampleCredential(1)],
  settings: '{"origins":["https://shop.example"],"strictServerAuth":true}',
})

/** Reverts the table of verifications to what it was before its rows had a MAC. */
export const verificationsBefore = `alter table verifications drop column mac; alter table verifications add column tries_max integer not null default 0;
  alter table verifications add column life_ms integer not null default 0`

/** Reverts the table of audit entries to what it was before they were keyed. */
export const auditBefore = ['key_id', 'address', 'changes'].map((column) => `alter table audit drop column ${column};`).join(' ')
