import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardListQueries, requestLogQueries } from '../suite/dashboard-lists.fixture.ts'
import { analyzeRows, fillRows } from '../suite/many-rows.fixture.ts'
import { fillSegments } from '../suite/many-segments.fixture.ts'
import { run as runStatement } from '../transaction.ts'
import { explainTransaction, planModes } from './explain.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'

const rows = 20_000

test(
  'PostgreSQL reads every dashboard list and query of the request log as a range of an index, sorts nothing, and reads about as many rows as it returns',
  withPostgres(async ({ raw, url }) => {
    for (const text of [...fillRows('postgres', { from: 1, count: rows }), ...analyzeRows]) await raw(text)
    for (const text of fillSegments('postgres', rows)) await raw(text)
    for (const mode of planModes) {
      for (const { name, read, rowsMax } of [...dashboardListQueries(rows, rows / 2), ...requestLogQueries(rows, rows / 2)]) {
        const [explained] = await explainTransaction(url, mode, runStatement(read.statement, read.values))
        const { scans = [], sorts = 0 } = explained ?? {}
        const details = `${mode}, ${name}: ${JSON.stringify(explained)}`
        assert.ok(scans.length > 0 && scans.every(({ kind }) => kind !== 'Seq Scan'), details)
        assert.ok(sorts === 0 || maySort.has(name), details)
        assert.ok(scans.reduce((sum, { rowsRead }) => sum + rowsRead, 0) <= rowsMax, details)
      }
    }
  }),
)

/**
 * The chart's counts are summed: hours of the range times counter names, however many rows there are. So are the calls of a merchant, for the job that deletes
 * those beyond its maximum. Of an hour's segments few have the id of a call. The codes of a few cards are
 * brought into the order of time.
 */
const maySort = new Set([
  'charts, a week',
  'request log, beyond the maximum',
  'request log, one call',
  'codes of some cards, first page',
  'codes of some cards, deep page',
])
