import { KEYS_SCHEMA, migratePostgres, startError } from '../postgres/migrate.ts'
import { readHosts } from '../postgres/hosts.ts'
import { makePrimary } from '../postgres/primary.ts'
import { makeStatement, type Row, type Statement, type Value } from '../statement.ts'
import { StoreUnavailable } from '../store.ts'
import { hasTargetMark, MoveRefused, readTargetMark, targetTable, type TargetMark, type TargetState } from '../sqlite/move-marks.ts'
import {
  keyText,
  movedTriggerName,
  quoteName,
  quoteNames,
  refuseFunction,
  unmovedTables,
  type MovedRow,
  type MovedTable,
} from './moved-rows.ts'
import type { ChangedRow } from '../sqlite/move-source.ts'

/** A schema on PostgreSQL that rows are moved to, or back from. */
export interface MoveTarget {
  /** Null when it was never the target of a move. */
  readMark(): Promise<TargetMark | null>
  /** Creates the schema, empty but for its mark. Throws `MoveRefused` when it has anything of another service. */
  prepare(mark: TargetMark, tables: readonly MovedTable[]): Promise<void>
  /** Replaces rows, and deletes those that are gone, in one transaction. */
  apply(changes: ReadonlyMap<MovedTable, readonly ChangedRow[]>): Promise<void>
  /** The rows after a key up to another one, or to the end; at most `count`. */
  readPage(
    table: MovedTable,
    range: { readonly after: MovedRow | null; readonly to: MovedRow | null; readonly count: number },
  ): Promise<MovedRow[]>
  /** Rows by their keys, by the text of the key. */
  readRows(table: MovedTable, keys: readonly MovedRow[]): Promise<Map<string, MovedRow>>
  saveValue(name: string, value: Uint8Array): Promise<void>
  setState(state: TargetState): Promise<void>
  /** Begins the transaction of a way back: nobody else writes to the tables until it ends. */
  beginReturn(tables: readonly MovedTable[]): Promise<void>
  /** From its commit, every write to the tables is refused. */
  commitReturn(tables: readonly MovedTable[]): Promise<void>
  /** Whether the connection still works. */
  isUsable(): boolean
  /** How long each of the next statements may take; null: as long as one that takes a whole table. */
  limitStatements(ms: number | null): void
  close(): Promise<void>
}

/** Connects to the primary. */
export async function openMoveTarget(url: string, schema: 'cards' | 'keys'): Promise<MoveTarget> {
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe: false, searchPath: schema === 'keys' ? KEYS_SCHEMA : null })
  const session = await primary
    .connect(() => undefined)
    .catch((err: unknown) => {
      throw startError(err)
    })
    .finally(() => primary.close())
  await session.execute("set bytea_output = 'hex'")
  // A busy machine is no reason to end a long move: a service's own statements have two seconds.
  await session.execute("set idle_in_transaction_session_timeout = '60s'")
  let limitMs = statementMs
  const types = new Map<MovedTable, ReadonlyMap<string, string>>()
  return Object.freeze<MoveTarget>({
    readMark,
    prepare,
    apply,
    readPage,
    readRows,
    saveValue,
    setState,
    beginReturn,
    commitReturn,
    isUsable: () => session.usable,
    limitStatements: (ms) => void (limitMs = ms ?? statementMs),
    close: () => session.end(),
  })

  async function query(statement: Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    if (!session.usable) throw new StoreUnavailable('the connection to PostgreSQL was lost')
    return session.query(statement, values, limitMs)
  }

  async function readMark(): Promise<TargetMark | null> {
    if (!hasTargetMark.map(await query(hasTargetMark.statement))) return null
    return readTargetMark.map(await query(readTargetMark.statement))
  }

  async function prepare(mark: TargetMark, tables: readonly MovedTable[]): Promise<void> {
    const was = await readMark()
    if (was === null) await requireEmpty(await listTargetTables())
    else await empty(was, mark, tables)
    // Before the schema, so that no service that finds the schema takes it for its own. That of the keys is created by its migrations.
    if (schema === 'cards') await writeMark(mark)
    await migratePostgres(session, schema)
    if (schema === 'keys') await writeMark(mark)
    for (const table of tables) types.set(table, await requireSameColumns(table))
  }

  /** A schema that a service has used has rows, if only of its processes. */
  async function requireEmpty(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (isSchemaTable(name)) continue
      const [row] = await query(makeStatement(`select case when exists (select 1 from ${quoteName(name)}) then 1 else 0 end as found`))
      if (row?.['found'] === 1) throw new MoveRefused(`the target is not empty: its table ${name} has rows. Name an empty database.`)
    }
  }

  /** Only what an earlier attempt of the same service has left, which was never in charge or is no longer. */
  async function empty(was: TargetMark, { source }: TargetMark, own: readonly MovedTable[]): Promise<void> {
    if (was.source !== source) throw new MoveRefused('the target belongs to the move of another service: name an empty database.')
    if (was.state === 'complete') throw new MoveRefused('this service was moved to the target already, and it has been in charge since.')
    const names = await listTargetTables()
    const isOwn = (name: string): boolean => unmovedTables.has(name) || own.some((table) => table.name === name)
    // Somebody may use the database for something else since.
    await requireEmpty(names.filter((name) => !isOwn(name)))
    const tables = names.filter((name) => isOwn(name) && !isSchemaTable(name))
    const triggers = tables.map((name) => `drop trigger if exists ${movedTriggerName} on ${quoteName(name)};`).join(' ')
    const rows = tables.length === 0 ? '' : `truncate ${tables.map(quoteName).join(', ')};`
    await session.execute(`begin; ${triggers} ${rows} drop table ${targetTable}; commit`, statementMs)
  }

  async function writeMark({ moveId, source, state }: TargetMark): Promise<void> {
    await session.execute(
      `create table ${targetTable} (move_id text primary key not null, source text not null, state text not null)`,
      statementMs,
    )
    await query(makeStatement(`insert into ${targetTable} (move_id, source, state) values ($1, $2, $3)`), [moveId, source, state])
  }

  async function listTargetTables(): Promise<string[]> {
    const found = await query(makeStatement(selectTables))
    return found.map((row) => String(row['name']))
  }

  /** The types of the columns. Both schemas are of this version, so a difference is a fault of the program, found before a row is copied. */
  async function requireSameColumns({ name, columns }: MovedTable): Promise<ReadonlyMap<string, string>> {
    const found = await query(makeStatement(selectColumns), [name])
    const own = new Map(found.map((row) => [String(row['name']), String(row['type'])]))
    if (own.size === columns.length && columns.every((column) => own.has(column.name))) return own
    throw new MoveRefused(`the table ${name} has other columns on PostgreSQL: use the version that runs the service.`)
  }

  async function apply(changes: ReadonlyMap<MovedTable, readonly ChangedRow[]>): Promise<void> {
    if (changes.size === 0) return
    await session.execute('begin', limitMs)
    try {
      // All deletions first, so that no unique index sees two states of one row.
      for (const [table, rows] of changes) {
        for (const part of partsOf(rows.map(({ key }) => key))) {
          const same = table.keys.map(({ name }) => `t.${quoteName(name)} = k.${quoteName(name)}`).join(' and ')
          await query(makeStatement(`delete from ${quoteName(table.name)} t using ${records(table)} k where ${same}`), [
            toJson(table.keys, part),
          ])
        }
      }
      for (const [table, rows] of changes) {
        const names = quoteNames(table.columns)
        for (const part of partsOf(rows.flatMap(({ row }) => (row === null ? [] : [row])))) {
          const insert = makeStatement(`insert into ${quoteName(table.name)} (${names}) select ${names} from ${records(table)}`)
          await query(insert, [toJson(table.columns, part)])
        }
      }
      await session.execute('commit', limitMs)
    } catch (err) {
      if (session.usable) await session.execute('rollback')
      throw err
    }
  }

  async function readPage(table: MovedTable, range: Parameters<MoveTarget['readPage']>[1]): Promise<MovedRow[]> {
    const { after, to, count } = range
    const keys = quoteNames(table.keys)
    const bounds = [
      after === null ? null : `(${keys}) > (${given(table, 1)})`,
      to === null ? null : `(${keys}) <= (${given(table, 1 + (after?.length ?? 0))})`,
    ]
    const where = bounds.filter((bound) => bound !== null).join(' and ')
    // By the columns themselves: a bare name in `order by` is that of an output column, which is text.
    const order = table.keys.map(({ name }) => `t.${quoteName(name)}`).join(', ')
    const text = `select ${asText(table, 't.')} from ${quoteName(table.name)} t ${where === '' ? '' : `where ${where}`} order by ${order} limit ${String(count)}`
    return toRows(table, await query(makeStatement(text), [...(after ?? []), ...(to ?? [])]))
  }

  async function readRows(table: MovedTable, keys: readonly MovedRow[]): Promise<Map<string, MovedRow>> {
    const found = new Map<string, MovedRow>()
    const same = table.keys.map(({ name }) => `t.${quoteName(name)} = k.${quoteName(name)}`).join(' and ')
    const text = `select ${asText(table, 't.')} from ${records(table)} k join ${quoteName(table.name)} t on ${same}`
    for (const part of partsOf(keys)) {
      for (const row of toRows(table, await query(makeStatement(text), [toJson(table.keys, part)]))) {
        found.set(keyText(table.keys.map((key) => row[table.columns.indexOf(key)] ?? null)), row)
      }
    }
    return found
  }

  /** Placeholders for a key, of the types of its columns. */
  function given(table: MovedTable, from: number): string {
    const own = types.get(table)
    return table.keys.map(({ name }, at) => `cast($${String(from + at)}::text as ${own?.get(name) ?? 'text'})`).join(', ')
  }

  async function saveValue(name: string, value: Uint8Array): Promise<void> {
    const text = 'insert into key_store_values (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value'
    await query(makeStatement(text), [name, value])
  }

  async function setState(state: TargetState): Promise<void> {
    await query(makeStatement(`update ${targetTable} set state = $1`), [state])
  }

  async function beginReturn(tables: readonly MovedTable[]): Promise<void> {
    for (const table of tables) types.set(table, await requireSameColumns(table))
    await session.execute('begin')
    await session.execute("set local idle_in_transaction_session_timeout = '60s'")
    await session.execute(`lock table ${tables.map(({ name }) => quoteName(name)).join(', ')} in share row exclusive mode`, statementMs)
  }

  async function commitReturn(tables: readonly MovedTable[]): Promise<void> {
    await session.execute(refuseFunction)
    const each = tables.map(({ name }) => {
      const events = 'before insert or update or delete or truncate'
      return `create trigger ${movedTriggerName} ${events} on ${quoteName(name)} for each statement execute function store_move_refuse();`
    })
    await session.execute(each.join(' '), statementMs)
    await setState('returned')
    await session.execute('commit', statementMs)
  }
}

function records({ name }: MovedTable): string {
  return `json_populate_recordset(null::${quoteName(name)}, $1::json)`
}

function toJson(columns: MovedTable['columns'], rows: readonly MovedRow[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]]))))
}

function asText({ columns }: MovedTable, prefix: string): string {
  return columns.map(({ name }) => `${prefix}${quoteName(name)}::text as ${quoteName(name)}`).join(', ')
}

function toRows({ columns }: MovedTable, rows: readonly Row[]): MovedRow[] {
  return rows.map((row) => columns.map(({ name }) => row[name] as MovedRow[number]))
}

function partsOf<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = []
  for (let from = 0; from < rows.length; from += rowsInStatement) parts.push(rows.slice(from, from + rowsInStatement))
  return parts
}

function isSchemaTable(name: string): boolean {
  return name === 'migrations' || name === 'primary_epoch' || name === targetTable
}

const selectTables = 'select tablename::text as name from pg_tables where schemaname = current_schema() order by tablename'
const selectColumns = `
  select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
  where a.attrelid = to_regclass(quote_ident($1::text)) and a.attnum > 0 and not a.attisdropped`
const rowsInStatement = 500
/** The target may be slow while it takes whole tables. */
const statementMs = 60_000
