import assert from 'node:assert/strict'
import { readMigrations } from '../migrations/migrations.ts'
import type { Dialect } from '../migrations/migrations.ts'
import type { MerchantRow } from '../merchants.ts'
import { bytesOf, makeCredential, makeMerchant, merchantId } from './samples.fixture.ts'

/** SQL that makes the table of merchants as it was before its settings were one text, with a merchant in it. */
export function merchantsBefore(dialect: Dialect): string {
  const [table] = /^create table merchants [^;]*;/m.exec(readMigrations(dialect)[0]?.text ?? '') ?? []
  assert.ok(table !== undefined)
  const hex = Buffer.from(bytesOf('password 1')).toString('hex')
  const hash = dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
  const { bucket, createdAt } = makeMerchant()
  return `${table} insert into merchants values ('${merchantId}', ${bucket}, 'A shop', 'active', ${hash}, '${'aa'.repeat(16)}',
    '["https://shop.example"]', 1, ${createdAt})`
}

/** SQL that makes the indexes of cards as they were, before a later migration made others of them. */
export function cardIndexesBefore(dialect: Dialect): string {
  const [first, ...later] = readMigrations(dialect).map(({ text }) => [
    ...text.matchAll(/^create (?:unique )?index (\w+) on (?:cards|audit|sms_inbox) [^;]*;/gm),
  ])
  const drops = (later.flat() as RegExpMatchArray[]).map(([, index = '']) => `drop index if exists ${index};`)
  return [...drops, ...(first ?? []).map(([text, index = '']) => `drop index if exists ${index}; ${text}`)].join(' ')
}

/** The row with its JSON as we would write it: each database has its own way with blanks. */
export function withoutBlanks(row: MerchantRow | null): MerchantRow | null {
  return row === null ? null : { ...row, settings: JSON.stringify(JSON.parse(row.settings)) }
}

/** What the migration makes of it: no row of before bears a MAC. */
export const merchantAfter = makeMerchant({
  organization: '',
  address: '',
  mac: new Uint8Array(0),
  credentials: [makeCredential(1)],
  settings: '{"origins":["https://shop.example"],"strictServerAuth":true}',
})
