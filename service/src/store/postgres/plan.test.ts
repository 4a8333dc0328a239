import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardsTable, insertCard, listEndedCards, listSavedCards } from '../cards.ts'
import { claimDeliveries } from '../delivery-claims.ts'
import { listStoredRows, macTables } from '../mac-tables.ts'
import { countOpenReceipts, listDueInProgress, listDueReceipts, listFlaggedReceipts, listOpenReceipts, listReceipts } from '../receipts.ts'
import { sampleMacs, sampleRows } from '../sampled-rows.ts'
import type { Read } from '../transaction.ts'
import type { Row, Value } from '../statement.ts'
import { makeAuditEntry, makeCard, sampleMerchantId, T0 } from '../suite/samples.fixture.ts'
import { deepReceiptPage, fillReceipts } from '../suite/many-receipts.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'

// PostgreSQL plans a prepared statement for its values at first, and may later use a plan for any values: both have to be a range.
for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL reads a page of receipts as a range of an index, ${mode}`,
    withPostgres(async ({ raw }) => {
      await fillReceipts(raw, 'postgres')
      assert.deepEqual(await plan(raw, mode, listReceipts(deepReceiptPage)), ['Limit', 'Index Scan using receipts_newest on receipts'])
      assert.deepEqual(await plan(raw, mode, listDueReceipts(T0 + 500, 10)), ['Limit', 'Index Scan using receipts_due_at on receipts'])
    }),
  )
}

for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL can count and list open receipts as ranges of indexes, ${mode}`,
    withPostgres(async ({ raw }) => {
      const off = `${mode}; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off`
      assert.deepEqual(await plan(raw, off, listOpenReceipts(20, 10)), ['Limit', 'Index Scan using receipts_open on receipts'])
      const inProgress = (await plan(raw, off, listDueInProgress(T0 + 500, 10))).filter((step) => / Scan /.test(step))
      assert.deepEqual(inProgress, ['Index Scan using receipts_due_at on receipts', 'Index Scan using operations_pkey on operations o'])
      assert.deepEqual(await plan(raw, off, listFlaggedReceipts(10, '')), ['Limit', 'Index Scan using receipts_flagged on receipts'])
      const counts = (await plan(raw, off, countOpenReceipts(T0))).filter((step) => / on receipts/.test(step))
      assert.equal(counts.length, 9)
      for (const step of counts) assert.match(step, /^Index (Only )?Scan using receipts_(open|flagged|due_at) on receipts/)
    }),
  )
}

// PostgreSQL reads small tables whole; these tests prove that the index can be used.
for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL can read ended cards as ranges of indexes, ${mode}`,
    withPostgres(async ({ raw }) => {
      const off = `${mode}; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off; set enable_hashjoin = off`
      assert.deepEqual(await plan(raw, off, listSavedCards(T0, 10)), ['Limit', 'Index Scan using cards_kept on cards'])
      const ended = await plan(raw, off, listEndedCards(T0, 10))
      assert.ok(ended.includes('Index Scan using cards_ends_at on cards'), ended.join(' · '))
      assert.ok(
        ended.some((step) => /using receipts_held on receipts/.test(step)),
        ended.join(' · '),
      )
    }),
  )
}

test(
  'PostgreSQL can read the rows that a start samples from the end of an index, without sorting',
  withPostgres(async ({ raw }) => {
    const off =
      'force_custom_plan; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off; set enable_incremental_sort = off'
    for (const table of ['audit', 'cards'] as const) {
      const [limit, scan, ...more] = await plan(raw, off, sampleMacs(table, 5))
      assert.deepEqual([limit, more], ['Limit', []])
      assert.match(scan ?? '', new RegExp(`^Index Scan (Backward )?using ${table}_pkey on ${table}$`))
    }
    for (const order of ['first', 'last'] as const) {
      const steps = await plan(raw, off, sampleRows(cardsTable, 5, order))
      assert.match(steps.join(), /^Limit,Index Scan (Backward )?using cards_pkey on cards$/)
    }
  }),
)

for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL claims the due among many finished deliveries by ranges of indexes alone, ${mode}`,
    withPostgres(async ({ raw }) => {
      await raw(`
        insert into deliveries (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id,
          made_at, settled_at)
        select 1, 'e', lpad(to_hex(n), 24, '0'), '${sampleMerchantId}', lpad(to_hex(n % 1000), 24, '0'), n, 'delivered', 1, 1,
          case when n % 100 = 0 then ${T0} + n else null end, '', ${T0}, 0
        from generate_series(1, 20000) as up(n)`)
      await raw('analyze deliveries')
      const endpoint = { bucket: 1, endpointId: 'e' }
      const claim = { endpoint, now: T0 + 500, leaseUntil: T0 + 60_000, claimId: 'c', count: 16 }
      const step = claimDeliveries(claim).next().value as Pick<Read<unknown>, 'statement' | 'values'>
      const steps = await plan(raw, mode, step)
      const scans = steps.filter((line) => / on deliveries/.test(line) && !line.startsWith('Update'))
      assert.ok(scans.length >= 2, steps.join(' · '))
      for (const scan of scans) assert.match(scan, /Index (Only )?Scan|Bitmap Heap Scan/, steps.join(' · '))
    }),
  )
}

// The planner takes merchant and bucket for independent, and expects one row behind a key, where nearly all rows are of one merchant.
for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL reads a page of a walk through all cards by the primary key also where one merchant has nearly all, ${mode}`,
    withPostgres(async ({ raw, store }) => {
      const card = makeCard(1)
      await store.write(insertCard, { card, audit: makeAuditEntry(card, 'card.created') })
      const copied = cardsTable.names.map((name) => (name === 'card_id' ? `lpad(to_hex(n), 24, '0')` : name))
      await raw(`insert into cards (${cardsTable.columns}) select ${copied.join(', ')} from cards, generate_series(1, 20000) as up(n)`)
      await raw('vacuum analyze cards')
      const cards = macTables.find(({ kind }) => kind === 'card')
      assert.ok(cards !== undefined)
      const [first] = await store.read(listStoredRows(cards, null, 1))
      const steps = await plan(raw, mode, listStoredRows(cards, first?.key ?? [], 100))
      assert.deepEqual(steps, ['Limit', 'Index Scan using cards_pkey on cards'])
    }),
  )
}

/** The steps of a plan, without their conditions. */
async function plan(
  raw: (text: string) => Promise<readonly Row[]>,
  mode: string,
  read: Pick<Read<unknown>, 'statement' | 'values'>,
): Promise<string[]> {
  const values = read.values.map(literal).join(', ')
  const explained = await raw(
    `set plan_cache_mode = ${mode}; prepare planned as ${read.statement.text}; explain (costs off) execute planned(${values})`,
  )
  const lines = explained.map((row) => String(row['QUERY PLAN']))
  return lines.filter((line) => !/^\s+[A-Z][a-z]+( Cond| Filter)?: /.test(line)).map((line) => line.replace(/^\s*(-> {2})?/, ''))
}

function literal(value: Value): string {
  return typeof value === 'number' ? String(value) : `'${String(value)}'`
}
