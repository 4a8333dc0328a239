import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../migrations/migrations.ts'
import { keepReceipt, makeReceipt } from '../suite/money.fixture.ts'
import { cardIndexesBefore, merchantAfter, merchantsBefore, withoutBlanks } from '../suite/merchants-before.fixture.ts'
import { makeCard, makeNote, merchantId, nextOf } from '../suite/samples.fixture.ts'
import { expectSchema, tellPostgresSchema } from '../suite/schema.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'

test(
  'the PostgreSQL schema that is kept for reading is the one that the migrations make',
  withPostgres(async ({ raw }) => expectSchema('postgres', await tellPostgresSchema(raw))),
)

test(
  'a PostgreSQL store of before money keeps its cards and takes receipts',
  withPostgres(async ({ store: first, raw, reopen }) => {
    const card = makeCard(1)
    await first.insertCard(card, makeNote(card))
    const later = readMigrations('postgres').slice(1)
    const tables = later.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)]).map(([, table]) => table)
    await raw(`drop table if exists ${tables.join(', ')}; ${cardIndexesBefore('postgres')}`)
    await raw(`${merchantsBefore('postgres')}; delete from migrations where number >= 2`)

    const store = await reopen()
    assert.deepEqual(await store.findCard(card), card)
    assert.deepEqual(withoutBlanks(await store.findMerchant(merchantId)), merchantAfter)
    assert.equal(await store.changeCard(nextOf(card), makeNote(nextOf(card))), true)
    const receipt = await keepReceipt(store, makeReceipt(1))
    assert.deepEqual(await store.findReceipt(receipt), receipt)
    assert.deepEqual(
      (await raw('select number, name from migrations order by number')).map((row) => row['name']),
      [
        'lock',
        'cards',
        'money',
        'webhooks',
        'merchants',
        'form-sessions',
        'expired-cards',
        'dashboard',
        'disclosures',
        'audit-people',
        'tallies',
        'compliance',
        'audit-order',
        'requests',
        'form-page',
        'lists-by-state',
        'form-session-mac',
        'refused-payments',
      ],
    )
  }),
)
