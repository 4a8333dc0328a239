import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dashboardListQueries, requestLogQueries } from '../suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../suite/many-rows.fixture.ts'
import { fillSegments } from '../suite/many-segments.fixture.ts'
import { withRequestLog } from '../suite/request-log.fixture.ts'
import { requestLogPathOf } from './request-log.ts'
import { withSqlite } from './with-store.fixture.ts'

const rows = 5000

for (const analyzed of [false, true]) {
  test(
    `the embedded store reads every dashboard list as a range of an index, ${analyzed ? 'with' : 'without'} statistics`,
    withSqlite(async ({ raw, reopen }) => {
      for (const text of analyzed ? [...fillRows('sqlite', { from: 1, count: rows }), ...analyzeRows] : []) await raw(text)
      const store = await reopen()
      for (const { name, read, run } of dashboardListQueries(rows, rows / 2)) {
        const steps = (await raw(`explain query plan ${read.statement.text}`)).map((row) => String(row['detail']))
        const bad = steps.filter((step) => (isScan(step) || /TEMP B-TREE/.test(step)) && !mayRegroup(name, step))
        assert.deepEqual(bad, [], `${name}: ${steps.join(' · ')}`)
        if (analyzed && !findsNothing.has(name)) assert.ok(JSON.stringify(await run(store)).length > 2, `${name} found nothing`)
      }
    }),
  )

  test(
    `the embedded request log reads every query as a range of an index, ${analyzed ? 'with' : 'without'} statistics`,
    withSqlite(({ folder, store }) =>
      withRequestLog(store, async (requestLog) => {
        await requestLog.append([])
        const db = new DatabaseSync(requestLogPathOf(folder))
        try {
          for (const text of analyzed ? fillSegments('sqlite', rows) : []) db.exec(text)
          for (const { name, read, run } of requestLogQueries(rows, rows / 2)) {
            const steps = db
              .prepare(`explain query plan ${read.statement.text}`)
              .all()
              .map((row) => String(row['detail']))
            const isBad = (step: string): boolean => /^SCAN request_segments/.test(step) || (/TEMP B-TREE/.test(step) && !maySort.has(name))
            const bad = steps.filter(isBad)
            assert.deepEqual(bad, [], `${name}: ${steps.join(' · ')}`)
            if (analyzed) assert.ok(JSON.stringify(await run(requestLog)).length > 4, `${name} found nothing`)
          }
        } finally {
          db.close()
        }
      }),
    ),
  )
}

/** A scan of rows that an index has already selected is not a table scan. */
function isScan(step: string): boolean {
  return /^SCAN /.test(step) && !/^SCAN newest/.test(step)
}

/** Its sum is in the order of the index, which SQLite does not use again: with a limit of one, it holds one row. */
const maySort = new Set(['request log, beyond the maximum'])
/** The chart's counts are summed: hours of the range times counter names, however many rows there are. */
const mayGroup = new Set(['charts, a week'])
/** The codes of a few cards are brought into the order of time: at most `codeEventCardsMax` of them, each with as many entries as its limits allow. */
const maySortRows = new Set(['codes of some cards, first page', 'codes of some cards, deep page'])

function mayRegroup(name: string, step: string): boolean {
  return (mayGroup.has(name) && /GROUP BY/.test(step)) || (maySortRows.has(name) && /ORDER BY/.test(step))
}

const findsNothing = new Set(['cards, by an unknown payer'])
