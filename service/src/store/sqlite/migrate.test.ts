import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { readMigrations } from '../migrations/migrations.ts'
import { keepReceipt, makeReceipt } from '../suite/money.fixture.ts'
import { cardIndexesBefore, merchantAfter, merchantsBefore, withoutBlanks } from '../suite/merchants-before.fixture.ts'
import { makeCard, makeNote, merchantId, nextOf } from '../suite/samples.fixture.ts'
import { expectSchema, tellSqliteSchema } from '../suite/schema.fixture.ts'
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts'
import { withFolder, withSqlite } from './with-store.fixture.ts'

test(
  'the embedded schema that is kept for reading is the one that the migrations make',
  withSqlite(async ({ raw }) => expectSchema('sqlite', await tellSqliteSchema(raw))),
)

test('an embedded store of before money keeps its cards and takes receipts', () =>
  withFolder(async (folder) => {
    const card = makeCard(1)
    const first = await openSqliteStore({ folder })
    await first.insertCard(card, makeNote(card))
    await first.close(5000)
    takeBackMoney(folder)

    const applied: unknown[] = []
    const store = await openSqliteStore({ folder, log: (event, fields) => applied.push([event, fields]) })
    try {
      const wanted = [
        { number: 2, name: 'money', breaking: false },
        { number: 3, name: 'webhooks', breaking: false },
        { number: 4, name: 'merchants', breaking: true },
        { number: 5, name: 'form-sessions', breaking: false },
        { number: 6, name: 'expired-cards', breaking: true },
        { number: 7, name: 'dashboard', breaking: false },
        { number: 8, name: 'disclosures', breaking: false },
        { number: 9, name: 'audit-people', breaking: false },
        { number: 10, name: 'tallies', breaking: false },
        { number: 11, name: 'compliance', breaking: false },
        { number: 12, name: 'audit-order', breaking: false },
        { number: 13, name: 'requests', breaking: false },
        { number: 14, name: 'form-page', breaking: false },
        { number: 15, name: 'lists-by-state', breaking: false },
        { number: 16, name: 'form-session-mac', breaking: true },
        { number: 17, name: 'refused-payments', breaking: false },
      ]
      assert.deepEqual(
        applied,
        wanted.map((fields) => ['store_migrated', fields]),
      )
      assert.deepEqual(await store.findCard(card), card)
      assert.deepEqual(withoutBlanks(await store.findMerchant(merchantId)), merchantAfter)
      assert.equal(await store.changeCard(nextOf(card), makeNote(nextOf(card))), true)
      const receipt = await keepReceipt(store, makeReceipt(1))
      assert.deepEqual(await store.findReceipt(receipt), receipt)
    } finally {
      await store.close(5000)
    }
  }))

/** Puts the schema back to what it was before its second migration. */
function takeBackMoney(folder: string): void {
  const db = new DatabaseSync(join(folder, SQLITE_FILE))
  const later = readMigrations('sqlite').slice(1)
  const tables = later.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)])
  for (const [, table = ''] of tables) db.exec(`drop table if exists ${table}`)
  db.exec(merchantsBefore('sqlite'))
  db.exec(cardIndexesBefore('sqlite'))
  db.exec('delete from migrations where number >= 2')
  db.close()
}
