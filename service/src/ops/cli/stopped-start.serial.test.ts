// time limit: 120 s
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import pg from 'pg'

import { startCluster } from '../../../../tools/postgres.ts'
import { databasePathOf } from '../../store/sqlite/sqlite.ts'
import { makeScratch, runTessera, startTesseraChild, until, type Child } from '../../testing/child.fixture.ts'

// What the starts of these tests wait for does not end before the test does, so a start that does not end by itself fails the test by its time limit.

const scratch = makeScratch()

test('SIGTERM during the integrity check of a start ends it with 0, and the next start does its own', async () => {
  const folder = join(scratch, 'integrity')
  await (await startTesseraChild(folder)).stop()
  makeCheckSlow(databasePathOf(folder))
  const child = start(folder)
  await until(() => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8') !== '', 'the process that checks the file')
  await expectStopped(child)

  const db = new DatabaseSync(databasePathOf(folder))
  db.exec('drop table slow')
  db.close()
  const service = await startTesseraChild(folder)
  assert.equal((await service.stop()).code, 0)
})

test('SIGTERM while a start waits for a lock in PostgreSQL ends it with 0', async () => {
  const cluster = await startCluster()
  const folder = join(scratch, 'lock')
  const env = { TESSERA_DATABASE_URL: cluster.url }
  const operator = new pg.Client({ connectionString: cluster.url })
  try {
    await (await startTesseraChild(folder, [], env)).stop()
    await operator.connect()
    // Migrations take this row, and wait two minutes for it.
    await operator.query('begin')
    await operator.query('select number from migrations where number = 0 for update')
    const child = start(folder, env)
    await until(async () => (await operator.query(selectWaiting)).rowCount !== 0, 'the start to wait for the row')
    await expectStopped(child)
  } finally {
    await operator.end()
    await cluster.stop()
  }
})

function start(folder: string, env: NodeJS.ProcessEnv = {}): Child {
  return runTessera(['start', '--json', '--port=0', '--admin-port=0', `--data=${folder}`], env)
}

async function expectStopped(child: Child): Promise<void> {
  child.kill('SIGTERM')
  const { code, out } = await child.ended
  assert.deepEqual([code, JSON.parse(out)], [0, { error: { exit: 'done', code: 0, lines: ['stopped by SIGTERM before it was ready.'] } }])
}

/** Changes the file, so that a start reads all of it: SQLite evaluates the constraint for each of a thousand rows, which takes some tenths of a second. */
function makeCheckSlow(path: string): void {
  const db = new DatabaseSync(path)
  db.exec('pragma ignore_check_constraints = on')
  db.exec('create table slow (n integer check (length(hex(zeroblob(100000000))) > n)) strict')
  db.exec('with recursive n (n) as (select 1 union all select n + 1 from n where n < 1000) insert into slow select n from n')
  db.close()
}

/** Unlike pg_stat_activity, not as it was at the begin of the transaction. */
const selectWaiting = `select 1 from pg_locks where not granted`
