import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { compareSchema } from '../schema.fixture.ts'
import { migrateSqlite } from './migrate.ts'

test('the readable schema of SQLite is what its migrations make', () => {
  compareSchema('schema.sqlite.sql', `${printed('cards')}\n\n-- In the file of the keys:\n\n${printed('keys')}\n`)
})

function printed(folder: 'cards' | 'keys'): string {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db, folder)
  const found = db.prepare('select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name').all()
  return found.map((row) => `${String(row['sql']).replace(/^CREATE (TABLE|INDEX)/, (words) => words.toLowerCase())};`).join('\n\n')
}
