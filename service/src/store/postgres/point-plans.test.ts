import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { importTables, pointStatements, type UniqueIndex } from '../suite/point-statements.fixture.ts'
import { listStatements, type Statement } from '../statement.ts'
import { gatherStatistics, listGrownTables } from './grown-tables.ts'
import { openPostgresSession } from './session.ts'
import { type TestDatabase, withPostgres } from './with-store.fixture.ts'

await importTables()

test(
  'without statistics PostgreSQL finds a row by the unique index of its key in every statement that names it',
  withPostgres(async (database) => {
    await withClient(database, async (client) => {
      await stopAutovacuum(client)
      const indexes = await fillTables(client)
      const points = pointStatements(listStatements(), indexes)
      assert.ok(points.length > 60, `only ${points.length} statements find a row by a key`)
      await client.query('set plan_cache_mode = force_generic_plan')
      const wrong: string[] = []
      for (const { statement, table, unique } of points) {
        const used = await indexesOf(client, statement, table)
        if (!used.every((index) => unique.includes(index) || asGood.has(index))) wrong.push(`${used.join()}: ${statement.text}`)
      }
      assert.deepEqual(wrong, [])
    })
  }),
)

test(
  'a table that has grown tenfold gets statistics, and the plans that were made for the empty table are made anew',
  withPostgres(async (database) => {
    await withClient(database, async (client) => {
      await stopAutovacuum(client)
      await client.query('set plan_cache_mode = force_generic_plan')
      const update = listStatements().find(({ text }) => text.startsWith('update receipts set state'))
      assert.ok(update !== undefined)
      const call = await prepare(client, update)
      const before = await planOf(client, call)
      await fillTables(client)
      assert.deepEqual(await planOf(client, call), before, 'the generic plan is used until statistics are gathered')
      const grown = await database.store.read(listGrownTables())
      assert.ok(grown.includes('receipts'), grown.join())

      const session = await openPostgresSession(database.url, () => undefined)
      await gatherStatistics(session, grown)
      await session.end()

      assert.deepEqual(await database.store.read(listGrownTables()), [])
      assert.deepEqual(await planOf(client, call), ['receipts_pkey'])
    })
  }),
)

test(
  'a service gathers the statistics of a table that grows by itself',
  withPostgres(
    async (database) => {
      await withClient(database, async (client) => {
        await fillTables(client)
        const isGathered = async (): Promise<boolean> =>
          (await client.query(`select 1 from pg_class where oid = 'receipts'::regclass and reltuples > 0`)).rowCount === 1
        const until = performance.now() + maxWaitMs
        while (!(await isGathered()) && performance.now() < until) await client.query('select pg_sleep(0.05)')
        assert.ok(await isGathered())
      })
    },
    { gathersNoStatistics: false },
  ),
)

/** One row for each endpoint of the merchant. */
const asGood: ReadonlySet<string> = new Set(['deliveries_event'])

async function stopAutovacuum(client: pg.Client): Promise<void> {
  const tables = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  )
  for (const { name } of tables.rows) await client.query(`alter table ${name} set (autovacuum_enabled = off)`)
}

/**
 * Fills every table with rows of one merchant, and returns the unique indexes, without those of the former request log, of which no row is looked for. The
 * request log has partitions; the plans of its queries are in dashboard-plan.test.ts.
 */
async function fillTables(client: pg.Client): Promise<UniqueIndex[]> {
  const tables = await client.query<{ name: string; columns: string[]; types: string[] }>(`
    select table_name as name, array_agg(column_name::text order by ordinal_position) as columns,
      array_agg(data_type::text order by ordinal_position) as types
    from information_schema.columns
    where table_schema = current_schema() and table_name not in ('migrations', 'primary_epoch', 'request_segments') group by 1`)
  for (const { name, columns, types } of tables.rows) {
    const values = columns.map((column, at) => valueOf(column, types[at] ?? ''))
    await client.query(
      `insert into ${name} (${columns.join()}) select ${values.join()} from generate_series(1, ${rowsEach}) as up(n) on conflict do nothing`,
    )
  }
  const indexes = await client.query<UniqueIndex>(`
    select t.relname as "table", i.relname as name, array_agg(a.attname::text) as columns
    from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = any (x.indkey)
    where x.indisunique and x.indpred is null and t.relname <> 'request_log' and t.relnamespace = current_schema()::regnamespace group by 1, 2`)
  return indexes.rows
}

/** Distinct where a key may need it. */
function valueOf(column: string, type: string): string {
  if (column === 'bucket') return '7'
  if (column === 'merchant_id') return `'m'`
  if (type === 'bytea') return `convert_to(n::text, 'UTF8')`
  return type === 'text' ? `'x' || n` : type === 'smallint' ? 'n % 2' : 'n'
}

async function prepare(client: pg.Client, { name, text }: Statement): Promise<string> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  await client.query(`prepare p${name} as ${text}`)
  return `execute p${name}${count === 0 ? '' : `(${Array(count).fill('null').join()})`}`
}

async function indexesOf(client: pg.Client, statement: Statement, table: string): Promise<string[]> {
  return planOf(client, await prepare(client, statement), table)
}

/** The indexes by which the plan reads a table; `Seq Scan` where it reads it whole. */
async function planOf(client: pg.Client, call: string, table = 'receipts'): Promise<string[]> {
  const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (format json) ${call}`)
  return explained.rows.flatMap((row) => listIndexes(row['QUERY PLAN'][0].Plan, table))
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

function listIndexes(node: PlanNode, table: string): string[] {
  const below = (node.Plans ?? []).flatMap((each) => listIndexes(each, table))
  if (!node['Node Type'].endsWith('Scan') || (node['Relation Name'] ?? table) !== table) return below
  return node['Node Type'] === 'Bitmap Heap Scan' ? below : [node['Index Name'] ?? node['Node Type'], ...below]
}

async function withClient({ url }: TestDatabase, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
  await client.connect()
  await run(client).finally(() => client.end())
}

const rowsEach = 2000
const maxWaitMs = 60_000
