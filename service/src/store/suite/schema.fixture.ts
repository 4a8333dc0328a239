import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Dialect } from '../migrations/migrations.ts'
import type { Row } from '../statement.ts'
import type { StoreUnderTest } from './opened.fixture.ts'

/** Compares the schema of a database with the file in `schema/`; `TESSERA_TEST_PRINT_SCHEMA=1` writes that file first. */
export function expectSchema(dialect: Dialect, actual: string): void {
  const file = new URL(`../schema/${dialect}.sql`, import.meta.url)
  if (process.env['TESSERA_TEST_PRINT_SCHEMA'] === '1') writeFileSync(file, actual)
  assert.equal(actual, readFileSync(file, 'utf8'))
}

/** The schema of an embedded store, read from the database. */
export async function readSqliteSchema(raw: StoreUnderTest['raw']): Promise<string> {
  const actual = await raw(`select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name`)
  const statements = actual.map((row) => String(row['sql']).replace(/^CREATE [A-Z ]+/, (words) => words.toLowerCase()))
  return HEAD + statements.map((statement) => `${statement};\n`).join('\n')
}

/** The schema of a PostgreSQL store, read from the database. */
export async function readPostgresSchema(raw: StoreUnderTest['raw']): Promise<string> {
  const [columns, indexes, partitions] = [await raw(selectColumns), await raw(selectIndexes), await raw(selectPartitionKeys)]
  const tables = [...new Set(columns.map((row) => String(row['table'])))]
  return HEAD + tables.map((table) => formatTable(table, { columns, indexes, partitions })).join('\n')
}

function formatTable(table: string, all: { columns: readonly Row[]; indexes: readonly Row[]; partitions: readonly Row[] }): string {
  const [columns, indexes] = [all.columns.filter(ofTable(table)), all.indexes.filter(ofTable(table))]
  const partitioned = all.partitions.filter(ofTable(table)).map((row) => ` partition by ${String(row['line'])}`)
  const lines = [...columns, ...indexes.filter((row) => row['is_primary'] === 1)].map((row) => `  ${String(row['line'])}`)
  const others = indexes.filter((row) => row['is_primary'] === 0).map((row) => `\n${String(row['line'])};\n`)
  return `create table ${table} (\n${lines.join(',\n')}\n)${partitioned.join('')};\n${others.join('')}`
}

function ofTable(table: string): (row: Row) => boolean {
  return (row) => row['table'] === table
}

const HEAD =
  '-- The schema after all migrations, for reading. A test compares it with the database; TESSERA_TEST_PRINT_SCHEMA=1 npm test -- migrate prints it.\n\n'

const selectColumns = `
  select c.relname as table, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || case when l.collname = 'C' then ' collate "C"' else '' end || case when a.attnotnull then ' not null' else '' end as line
  from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_collation l on l.oid = a.attcollation
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attnum`

const selectIndexes = `
  select c.relname as table, i.indisprimary::int as is_primary,
    case when i.indisprimary then lower(pg_get_constraintdef(n.oid))
      else lower(regexp_replace(pg_get_indexdef(i.indexrelid), ' ON [^ ]+ USING btree', ' on ' || c.relname)) end as line
  from pg_index i join pg_class c on c.oid = i.indrelid left join pg_constraint n on n.conindid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C", i.indexrelid`

const selectPartitionKeys = `
  select c.relname as table, lower(pg_get_partkeydef(c.oid)) as line from pg_class c
  where c.relkind = 'p' and c.relnamespace = current_schema()::regnamespace`
