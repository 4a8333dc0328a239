import { readInteger, readText } from './columns.ts'
import { readDatabaseFile } from './sqlite/integrity.ts'
import { makeStatement, placeholders, type Row, sql, type Statement, type Value } from './statement.ts'
import { type Store, StoreDamaged } from './store.ts'
import type { Walk } from './walk.ts'

// Whether the pages of a database are whole, and every index has exactly the rows of its table. A damaged index hides rows from every query that uses it.

/** A damaged part of a database. */
export interface IntegrityFault {
  /** The table or index; '' where the damage belongs to none. */
  readonly table: string
  readonly what: string
}

export interface IntegrityReport {
  /** How the indexes were compared: by SQLite, by the extension amcheck, or by counting (PostgreSQL without amcheck). */
  readonly method: 'integrity_check' | 'amcheck' | 'counts'
  /** How many tables or indexes were looked at. */
  readonly checked: number
  readonly faults: readonly IntegrityFault[]
}

/** Checks the whole database of cards or of keys. On PostgreSQL: the tables of the current schema. */
export async function checkIntegrity(store: Pick<Store, 'file' | 'read'>, walk: Walk): Promise<IntegrityReport> {
  if (store.file !== null) return checkFile(store.file, walk)
  const amcheck = await store.read({
    statement: selectAmcheck,
    values: [],
    map: ([row]) =>
      row === undefined ? null : { schema: readText(row, 'schema'), hasHeapCheck: readInteger(row, 'has_heap_check') === 1 },
  })
  return amcheck === null ? checkByCounting(store, walk) : checkByAmcheck(store, amcheck, walk)
}

/** Missing audit entries are faults of a chain, which the check of the chains reports. */
async function checkFile(path: string, walk: Walk): Promise<IntegrityReport> {
  walk.begin('integrity of pages and indexes', null)
  const { tables, damage } = await readDatabaseFile(path, { signal: walk.signal, isBesideRequests: true })
  return { method: 'integrity_check', checked: tables, faults: damage.map((what) => ({ table: '', what })) }
}

// The heap can be checked since PostgreSQL 14.
const selectAmcheck = sql`
  select quote_ident(n.nspname) as schema, case when exists (select 1 from pg_proc h where h.pronamespace = n.oid and h.proname = 'verify_heapam'
    and has_function_privilege(h.oid, 'execute')) then 1 else 0 end as has_heap_check from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_depend d on d.objid = p.oid and d.deptype = 'e' join pg_extension e on e.oid = d.refobjid
  where e.extname = 'amcheck' and p.proname = 'bt_index_check' and p.pronargs = 2 and has_function_privilege(p.oid, 'execute')`
const selectIndexes = sql`
  select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
  where c.relnamespace = current_schema()::regnamespace and a.amname = 'btree' and c.relkind = 'i' and i.indisvalid order by 1`

const selectTables = sql`
  select c.oid::regclass::text as name from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by 1`

interface Amcheck {
  readonly schema: string
  readonly hasHeapCheck: boolean
}

/** The pages of every table, and every index against its table, each in one query under a lock that allows writes. */
async function checkByAmcheck(store: Pick<Store, 'read'>, { schema, hasHeapCheck }: Amcheck, walk: Walk): Promise<IntegrityReport> {
  const indexes = await store.read({ statement: selectIndexes, values: [], map: (rows) => rows.map((row) => readText(row, 'name')) })
  const statement = makeStatement(`select ${schema}.bt_index_check($1::text::regclass, true)::text as result`)
  const tables = hasHeapCheck
    ? await store.read({ statement: selectTables, values: [], map: (rows) => rows.map((row) => readText(row, 'name')) })
    : []
  walk.begin('tables and indexes, by amcheck', tables.length + indexes.length)
  const faults: IntegrityFault[] = []
  const heap = makeStatement(`select blkno::text || ': ' || msg as what from ${schema}.verify_heapam($1::text::regclass) limit 10`)
  for (const table of tables) {
    const map = (rows: readonly Row[]): IntegrityFault[] => rows.map((row) => ({ table, what: `page ${readText(row, 'what')}` }))
    faults.push(...(await store.read({ statement: heap, values: [table], map }).catch((err: unknown) => [findingOf(table, err)])))
    await walk.advance(1)
  }
  for (const name of indexes) {
    await store.read({ statement, values: [name], map: () => undefined }).catch((err: unknown) => faults.push(findingOf(name, err)))
    await walk.advance(1)
  }
  return { method: 'amcheck', checked: tables.length + indexes.length, faults }
}

// The columns of each primary key, in its order.
const selectKeys = sql`
  select quote_ident(c.relname) as name, string_agg(quote_ident(a.attname), ',' order by k.place) as columns
  from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
  cross join unnest(i.indkey::smallint[]) with ordinality as k (number, place) join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' group by c.relname order by 1`

interface KeyedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** Without amcheck: how many rows the primary key finds, page by page, against how many a walk through the blocks of the table finds. */
async function checkByCounting(store: Pick<Store, 'read'>, walk: Walk): Promise<IntegrityReport> {
  const map = (row: Row): KeyedTable => ({ name: readText(row, 'name'), columns: readText(row, 'columns').split(',') })
  const tables = await store.read({ statement: selectKeys, values: [], map: (rows) => rows.map(map) })
  walk.begin('rows by index and by table', tables.length)
  const faults: IntegrityFault[] = []
  for (const table of tables) {
    try {
      const what = await findDifference(store, table, walk)
      if (what !== null) faults.push({ table: table.name, what })
    } catch (err) {
      faults.push(damageOf(table.name, err))
    }
    await walk.advance(1)
  }
  return { method: 'counts', checked: tables.length, faults }
}

/** Rows that come and go meanwhile make a difference too, so only one that is found every time counts. */
async function findDifference(store: Pick<Store, 'read'>, table: KeyedTable, walk: Walk): Promise<string | null> {
  let what: string | null = null
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await countBlocks(store, table)
    const found = await countByKey(store, table, walk)
    const after = await countBlocks(store, table)
    if (found >= Math.min(before, after) && found <= Math.max(before, after)) return null
    what = `its primary key finds ${found} rows, the table has ${after}`
  }
  return what
}

/** A condition on ctid is answered by the blocks of the table, and by no index. */
function countBlocks(store: Pick<Store, 'read'>, { name }: KeyedTable): Promise<number> {
  const statement = makeStatement(`select count(*) as rows from ${name} where ctid >= '(0,0)'::tid`)
  return store.read({ statement, values: [], map: ([row = {}]) => readInteger(row, 'rows') })
}

async function countByKey(store: Pick<Store, 'read'>, { name, columns }: KeyedTable, walk: Walk): Promise<number> {
  let count = 0
  for (let after: readonly Value[] | null = null; ;) {
    const isAfter: string = after === null ? '' : `where (${columns.join(', ')}) > (${placeholders(columns.length)})`
    const inOrder = columns.join(', ')
    const page = `select ${inOrder} from ${name} ${isAfter} order by ${inOrder} limit ${keysPerPage}`
    const backwards = columns.map((column) => `${column} desc`).join(', ')
    const statement: Statement = makeStatement(
      `select *, count(*) over () as page_rows from (${page}) as page order by ${backwards} limit 1`,
    )
    const last: Row | undefined = await store.read({ statement, values: after ?? [], map: ([row]) => row })
    const found: number = last === undefined ? 0 : readInteger(last, 'page_rows')
    count += found
    if (last === undefined || found < keysPerPage) return count
    after = columns.map((column) => last[column.replaceAll('"', '')] ?? null)
    await walk.advance(0)
  }
}

/** What cannot be read is damaged; an error of the connection is not. */
function damageOf(table: string, err: unknown): IntegrityFault {
  if (!(err instanceof StoreDamaged)) throw err
  return { table, what: err.message }
}

/** The same of amcheck, which computes with what it reads: an index row that cannot be made of a table's row is damage too (SQLSTATE classes 22 and 54). */
function findingOf(table: string, err: unknown): IntegrityFault {
  for (let cause = err; cause instanceof Error; cause = cause.cause)
    if (/^(22|54)/.test((cause as NodeJS.ErrnoException).code ?? '')) return { table, what: cause.message }
  return damageOf(table, err)
}

const keysPerPage = 10_000
const maxAttempts = 3
