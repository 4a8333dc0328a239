import { test } from 'node:test'
import { compareSchema } from '../schema.fixture.ts'
import { openPostgresKeyStore } from './keys.ts'
import { KEYS_SCHEMA } from './migrate.ts'
import { openPostgresStore } from './postgres.ts'
import { withDatabase } from './with-store.fixture.ts'
import type { TestDatabase } from './with-store.fixture.ts'

test(
  'the readable schema of PostgreSQL is what its migrations make',
  withDatabase(async ({ url, raw }) => {
    const store = await openPostgresStore({ url, allowUnsafe: true })
    const keys = await openPostgresKeyStore({ url, allowUnsafe: true })
    await Promise.all([store.close(1000), keys.close()])
    const [ofCards, ofKeys] = [await printed(raw, 'public'), await printed(raw, KEYS_SCHEMA)]
    compareSchema('schema.postgres.sql', `${ofCards}\n\n-- In the schema ${KEYS_SCHEMA}:\n\n${ofKeys}\n`)
  }),
)

async function printed(raw: TestDatabase['raw'], schema: string): Promise<string> {
  const of = `(select oid from pg_namespace where nspname = '${schema}')`
  const columns = await raw(`
    select relname as of, '  ' || quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) ||
      case when attcollation <> typcollation then ' collate "C"' else '' end || case when attnotnull then ' not null' else '' end as line
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 join pg_type on pg_type.oid = atttypid
    where relkind = 'r' and relnamespace = ${of} order by relname, attnum`)
  const constraints = await raw(`
    select relname as of, '  ' || lower(split_part(pg_get_constraintdef(pg_constraint.oid), ' (', 1)) || ' (' || split_part(pg_get_constraintdef(pg_constraint.oid), ' (', 2) as line
    from pg_class join pg_constraint on conrelid = pg_class.oid where relnamespace = ${of} and contype in ('p', 'u') order by relname, contype, conname`)
  const indexes = await raw(`
    select relname as of, replace(pg_get_indexdef(indexrelid), '${schema}.', '') as line
    from pg_class join pg_index on indrelid = pg_class.oid
    where relnamespace = ${of} and not exists (select 1 from pg_constraint where conindid = indexrelid) order by relname, indexrelid::regclass::text`)
  const tables = [...new Set(columns.map((row) => String(row['of'])))]
  const lines = (rows: typeof columns, table: string): string[] =>
    rows.filter((row) => row['of'] === table).map((row) => String(row['line']))
  return tables
    .map((table) => {
      const made = `create table ${table} (\n${[...lines(columns, table), ...lines(constraints, table)].join(',\n')}\n);`
      return [
        made,
        ...lines(indexes, table).map((line) => `${line.replace(/\b(CREATE INDEX|ON|USING|WHERE)\b/g, (word) => word.toLowerCase())};`),
      ].join('\n\n')
    })
    .join('\n\n')
}
