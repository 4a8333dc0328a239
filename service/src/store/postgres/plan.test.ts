import assert from 'node:assert/strict'
import { test } from 'node:test'
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
