import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { readMigrations } from '../migrations/migrations.ts'
import { insertSampleReceipt, makeReceipt } from '../suite/money.fixture.ts'
import {
  auditBefore,
  cardIndexesBefore,
  merchantAfter,
  merchantsBefore,
  verificationsBefore,
  withoutBlanks,
} from '../suite/merchants-before.fixture.ts'
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'
import { makeCard, makeAuditEntry, sampleMerchantId, nextVersion } from '../suite/samples.fixture.ts'
import { expectSchema, readSqliteSchema } from '../suite/schema.fixture.ts'
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts'
import { withFolder, withSqlite } from './with-store.fixture.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import { findMerchant } from '../merchants.ts'
import { findReceipt } from '../receipts.ts'

test(
  'the embedded schema file for reading equals the result of the migrations',
  withSqlite(async ({ raw }) => expectSchema('sqlite', await readSqliteSchema(raw))),
)

test('an embedded store from before payments keeps its cards and accepts receipts', () =>
  withFolder(async (folder) => {
    const card = makeCard(1)
    const first = withTestAuditKey(await openSqliteStore({ folder }))
    await first.write(insertCard, { card, audit: makeAuditEntry(card) })
    await first.close(5000)
    revertToFirstMigration(folder)

    const applied: unknown[] = []
    const store = withTestAuditKey(await openSqliteStore({ folder, log: (event, fields) => applied.push([event, fields]) }))
    try {
      const expected = [
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
        { number: 18, name: 'open-receipts', breaking: false },
        { number: 19, name: 'audit-actions', breaking: false },
        { number: 20, name: 'row-macs', breaking: true },
        { number: 21, name: 'form-session-mac-default', breaking: false },
        { number: 22, name: 'row-versions', breaking: true },
        { number: 23, name: 'keyed-audit', breaking: true },
        { number: 24, name: 'known-answers', breaking: false },
        { number: 25, name: 'request-log-callers', breaking: false },
        { number: 26, name: 'step-up', breaking: true },
        { number: 27, name: 'sign-ins', breaking: false },
        { number: 28, name: 'deliveries-by-endpoint', breaking: false },
        { number: 29, name: 'idempotency-process', breaking: false },
        { number: 30, name: 'keks', breaking: false },
        { number: 31, name: 'kek-processes', breaking: false },
        { number: 32, name: 'networks', breaking: true },
        { number: 33, name: 'sms-sends', breaking: true },
        { number: 34, name: 'form-session-choices', breaking: true },
        { number: 35, name: 'merchant-logos', breaking: true },
        { number: 36, name: 'request-segments', breaking: false },
        { number: 37, name: 'receipt-summaries', breaking: false },
        { number: 38, name: 'receipt-days', breaking: true },
        { number: 39, name: 'webhook-endpoint-choices', breaking: true },
        { number: 40, name: 'user-names', breaking: true },
        { number: 41, name: 'refund-days', breaking: false },
        { number: 42, name: 'password-labels', breaking: true },
      ]
      assert.deepEqual(
        applied,
        expected.map((fields) => ['store_migrated', fields]),
      )
      assert.deepEqual(await store.read(findCard(card)), card)
      assert.deepEqual(withoutBlanks(await store.read(findMerchant(sampleMerchantId))), merchantAfter)
      assert.equal(await store.write(updateCard, { card: nextVersion(card), audit: makeAuditEntry(nextVersion(card)) }), true)
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      assert.deepEqual(await store.read(findReceipt(receipt)), receipt)
    } finally {
      await store.close(5000)
    }
  }))

/** Reverts the schema to what it was after the first migration. */
function revertToFirstMigration(folder: string): void {
  const db = new DatabaseSync(join(folder, SQLITE_FILE))
  const later = readMigrations('sqlite').slice(1)
  const tables = later.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)])
  for (const [, table = ''] of tables) db.exec(`drop table if exists ${table}`)
  db.exec(merchantsBefore('sqlite'))
  db.exec(cardIndexesBefore('sqlite'))
  db.exec(verificationsBefore)
  db.exec(auditBefore)
  db.exec('delete from migrations where number >= 2')
  db.close()
}
