import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listQuestions } from '../suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../suite/many-rows.fixture.ts'
import { withSqlite } from './with-store.fixture.ts'

const rows = 5000

for (const analyzed of [false, true]) {
  test(
    `the embedded store answers every list of the dashboard by a range of an index, ${analyzed ? 'with' : 'without'} statistics`,
    withSqlite(async ({ raw, reopen }) => {
      for (const text of analyzed ? [...fillRows('sqlite', { from: 1, count: rows }), ...analyzeRows] : []) await raw(text)
      const store = await reopen()
      for (const { name, read, ask } of listQuestions(rows, rows / 2)) {
        const steps = (await raw(`explain query plan ${read.statement.text}`)).map((row) => String(row['detail']))
        const bad = steps.filter((step) => (isScan(step) || /TEMP B-TREE/.test(step)) && !(mayGroup.has(name) && /GROUP BY/.test(step)))
        assert.deepEqual(bad, [], `${name}: ${steps.join(' · ')}`)
        if (analyzed && !hasNone.has(name)) assert.ok(JSON.stringify(await ask(store)).length > 2, `${name} found nothing`)
      }
    }),
  )
}

/** A scan of what was picked by an index before is none of a table. */
function isScan(step: string): boolean {
  return /^SCAN /.test(step) && !/^SCAN newest/.test(step)
}

/** The chart's counts are added up: of the hours of a span times its words, however many rows there are. */
const mayGroup = new Set(['charts, a week'])
const hasNone = new Set(['cards, by a payer that is none'])
