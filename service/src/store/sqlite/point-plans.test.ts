import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { listStatements } from '../statement.ts'
import { importTables, pointStatements, type UniqueIndex } from '../suite/point-statements.fixture.ts'
import { SQLITE_FILE } from './sqlite.ts'
import { withSqlite } from './with-store.fixture.ts'

await importTables()

// Without statistics, SQLite plans for the same numbers of rows whatever the tables hold.
test(
  'without statistics the embedded store finds a row by the unique index of its key in every statement that names it',
  withSqlite(async ({ folder }) => {
    const db = new DatabaseSync(join(folder, SQLITE_FILE))
    try {
      const points = pointStatements(listStatements(), listUniqueIndexes(db))
      assert.ok(points.length > minPoints, `only ${points.length} statements find a row by a key`)
      const wrong = points.flatMap(({ statement, unique }) => {
        const plan = db.prepare(`explain query plan ${statement.text}`).all()
        const [step = ''] = plan.map((row) => String(row['detail']))
        return unique.some((index) => step.includes(`INDEX ${index} (`) || (index === rowidKey && step.includes('PRIMARY KEY (')))
          ? []
          : [`${step}: ${statement.text}`]
      })
      assert.deepEqual(wrong, [])
    } finally {
      db.close()
    }
  }),
)

function listUniqueIndexes(db: DatabaseSync): UniqueIndex[] {
  const rows = db
    .prepare(
      `select t.name as "table", coalesce(i.name, '') as name, group_concat(c.name) as columns
      from sqlite_schema t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
      where t.type = 'table' and i."unique" = 1 and i.partial = 0 group by 1, 2`,
    )
    .all()
  return rows.map((row) => ({ table: String(row['table']), name: String(row['name']), columns: String(row['columns']).split(',') }))
}

const rowidKey = 'rowid'
const minPoints = 60
