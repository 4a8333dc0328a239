import assert from 'node:assert/strict'
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
import { makeCard, makeAuditEntry, sampleMerchantId, nextVersion } from '../suite/samples.fixture.ts'
import { expectSchema, readPostgresSchema } from '../suite/schema.fixture.ts'
import pg from 'pg'
import { openPostgresStore } from './postgres.ts'
import { withPostgres } from './with-store.fixture.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import { findMerchant } from '../merchants.ts'
import { findReceipt } from '../receipts.ts'

test(
  'the PostgreSQL schema file for reading equals the result of the migrations',
  withPostgres(async ({ raw }) => expectSchema('postgres', await readPostgresSchema(raw))),
)

test(
  'a PostgreSQL store from before payments keeps its cards and accepts receipts',
  withPostgres(async ({ store: first, raw, reopen }) => {
    const card = makeCard(1)
    await first.write(insertCard, { card, audit: makeAuditEntry(card) })
    const later = readMigrations('postgres').slice(1)
    const tables = later.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)]).map(([, table]) => table)
    await raw(`drop table if exists ${tables.join(', ')}; ${cardIndexesBefore('postgres')}; ${verificationsBefore}; ${auditBefore}`)
    await raw(`${merchantsBefore('postgres')}; delete from migrations where number >= 2`)

    const store = await reopen()
    assert.deepEqual(await store.read(findCard(card)), card)
    assert.deepEqual(withoutBlanks(await store.read(findMerchant(sampleMerchantId))), merchantAfter)
    assert.equal(await store.write(updateCard, { card: nextVersion(card), audit: makeAuditEntry(nextVersion(card)) }), true)
    const receipt = await insertSampleReceipt(store, makeReceipt(1))
    assert.deepEqual(await store.read(findReceipt(receipt)), receipt)
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
        'open-receipts',
        'audit-actions',
        'row-macs',
        'form-session-mac-default',
        'row-versions',
        'keyed-audit',
        'known-answers',
        'request-log-callers',
        'step-up',
        'sign-ins',
        'deliveries-by-endpoint',
        'idempotency-process',
        'keks',
        'kek-processes',
        'networks',
        'sms-sends',
        'form-session-choices',
        'merchant-logos',
        'request-segments',
        'receipt-summaries',
        'receipt-days',
        'webhook-endpoint-choices',
        'user-names',
        'refund-days',
        'password-labels',
        'page-watches',
      ],
    )
  }),
)

test(
  'a migration does not wait long for a table, so that calls do not queue behind it, and is tried again until the table is free',
  withPostgres(async ({ raw, url, reopen }) => {
    await raw('delete from migrations where number > 36')
    await raw('drop table receipt_summaries, receipt_orders, summary_positions, summary_lease, page_watches, merchant_packs')
    await raw('alter table webhook_endpoints drop column types, drop column disabled_at')
    await raw('alter table delivery_attempts drop column reply_headers, drop column reply_body')
    await raw('alter table dashboard_users drop column name, drop column last_sign_in_at')
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    await reader.query('begin; select count(*) from webhook_endpoints')
    const migrated = reopen()
    // A call that comes behind the waiting migration gets its reply as soon as that gives up, while the reader still has the table.
    await untilSomebodyWaits(raw)
    const startedAt = performance.now()
    await raw('select count(*) from webhook_endpoints')
    assert.ok(performance.now() - startedAt < 5000, String(performance.now() - startedAt))
    await reader.query('commit')
    await reader.end()
    await migrated
    const again = await raw('select number, compatible from migrations where number > 36 order by number')
    assert.deepEqual(
      again.map((row) => ({ ...row })),
      [
        { number: 37, compatible: 1 },
        { number: 38, compatible: 0 },
        { number: 39, compatible: 0 },
        { number: 40, compatible: 0 },
        { number: 41, compatible: 1 },
        { number: 42, compatible: 0 },
        { number: 43, compatible: 1 },
      ],
    )
  }),
)

for (const [which, before] of [
  ['an existing schema', ''],
  ['a schema of before the column of migrations', 'alter table migrations drop column compatible'],
] as const)
  test(
    `processes of a new version that start at the same moment upgrade ${which}, and none of them fails`,
    withPostgres(async ({ raw, url }) => {
      if (before !== '') await raw(before)
      const later = readMigrations('postgres').slice(36)
      await raw('delete from migrations where number > 36')
      const tables = later.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)]).map(([, table]) => table)
      await raw(`drop table ${[...new Set([...tables, 'summary_positions', 'summary_lease'])].join(', ')}`)
      await raw('alter table webhook_endpoints drop column types, drop column disabled_at')
      await raw('alter table delivery_attempts drop column reply_headers, drop column reply_body')
      await raw('alter table dashboard_users drop column name, drop column last_sign_in_at')
      const node = (at: number): string => `node-${String(at)}`
      const opened = await Promise.allSettled([1, 2, 3, 4].map((at) => openPostgresStore({ url, node: node(at) })))
      for (const each of opened) if (each.status === 'fulfilled') await each.value.close(1000)
      assert.deepEqual(
        opened.map((each) => (each.status === 'fulfilled' ? 'open' : String(each.reason))),
        ['open', 'open', 'open', 'open'],
      )
      assert.deepEqual((await raw('select number from migrations where number > 36 order by number')).length, later.length)
    }),
  )

async function untilSomebodyWaits(raw: (text: string) => Promise<readonly object[]>): Promise<void> {
  for (;;) {
    const waiting = await raw("select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'")
    if (waiting.length > 0) return
  }
}
