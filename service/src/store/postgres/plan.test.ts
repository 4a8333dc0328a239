import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEndedCards, listKeptCards } from '../questions/cards.ts'
import { listDueReceipts, listReceipts } from '../questions/receipts.ts'
import type { Row, Value } from '../statement.ts'
import { T0 } from '../suite/samples.fixture.ts'
import { askedOfMany, fillReceipts } from '../suite/many-receipts.fixture.ts'
import type { Read } from '../unit.ts'
import { withPostgres } from './with-store.fixture.ts'

// A prepared statement is planned for its values first, and later perhaps for any: both have to be a range.
for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL reads a page of receipts as a range of an index, ${mode}`,
    withPostgres(async ({ raw }) => {
      await fillReceipts(raw, 'postgres')
      assert.deepEqual(await plan(raw, mode, listReceipts(askedOfMany)), ['Limit', 'Index Scan using receipts_newest on receipts'])
      assert.deepEqual(await plan(raw, mode, listDueReceipts(T0 + 500, 10)), ['Limit', 'Index Scan using receipts_due_at on receipts'])
    }),
  )
}

// Few rows are read whole, whatever there is; what is held here is that the index can be used.
for (const mode of ['force_custom_plan', 'force_generic_plan']) {
  test(
    `PostgreSQL can read the cards whose time has come as ranges of indexes, ${mode}`,
    withPostgres(async ({ raw }) => {
      const off = `${mode}; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off; set enable_hashjoin = off`
      assert.deepEqual(await plan(raw, off, listKeptCards(T0, 10)), ['Limit', 'Index Scan using cards_kept on cards'])
      const ended = await plan(raw, off, listEndedCards(T0, 10))
      assert.ok(ended.includes('Index Scan using cards_ends_at on cards'), ended.join(' · '))
      assert.ok(
        ended.some((step) => /using receipts_held on receipts/.test(step)),
        ended.join(' · '),
      )
    }),
  )
}

/** The steps of a plan, without their conditions. */
async function plan(raw: (text: string) => Promise<readonly Row[]>, mode: string, read: Read<unknown>): Promise<string[]> {
  const values = read.values.map(literal).join(', ')
  const told = await raw(
    `set plan_cache_mode = ${mode}; prepare asked as ${read.statement.text}; explain (costs off) execute asked(${values})`,
  )
  const lines = told.map((row) => String(row['QUERY PLAN']))
  return lines.filter((line) => !/^\s+[A-Z][a-z]+( Cond| Filter)?: /.test(line)).map((line) => line.replace(/^\s*(-> {2})?/, ''))
}

function literal(value: Value): string {
  return typeof value === 'number' ? String(value) : `'${String(value)}'`
}
