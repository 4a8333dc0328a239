import { readInteger, readText } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Session } from './session.ts'
import { listPlacedTables, tablePlacements, type TablePlacement } from './table-placement.ts'

/** The tables of a schema on Citus, and what is left to distribute. */
export interface Distribution {
  /** As the server names it: `13.2`. */
  readonly citusVersion: string
  /** Whether any table of ours is distributed. */
  readonly isDistributed: boolean
  readonly pending: readonly DistributionStep[]
}

/** One table to distribute, or rows that the coordinator still has of one that is. */
export interface DistributionStep {
  readonly table: string
  readonly column: 'bucket' | 'chain' | null
  readonly statement: string
}

/** Why a schema cannot be distributed. The message is for the person who runs the command. */
export class DistributionRefused extends Error {
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
  }
}

/** The oldest major version of Citus that was tried with the tables of Tessera. */
const citusMajorMin = 13

/** Reads what is distributed. Throws `DistributionRefused` without a Citus that can do it, and for a table that is distributed otherwise. */
export async function planDistribution(session: Session): Promise<Distribution> {
  const citusVersion = await requireCitus(session)
  const placed = await listPlaced(session)
  for (const { table, column } of placed.values()) requirePlacement(table, column)
  const groups = (['bucket', 'chain'] as const).map((column) => ({ column, tables: listPlacedTables(column) }))
  const distributions = groups.flatMap(({ column, tables }) =>
    tables.filter((table) => !placed.has(table)).map((table) => distributeStep(table, column)),
  )
  const leftovers = [...placed.values()].filter(({ bytes }) => bytes > 0).map(({ table }) => truncateStep(table))
  return { citusVersion, isDistributed: placed.size > 0, pending: [...distributions, ...leftovers] }
}

/**
 * Distributes what is left, each table in a transaction of its own, so that an interrupted run is repeated. Rows that exist are copied to the nodes, and then deleted
 * on the coordinator: a card that is removed later must be nowhere.
 */
export async function distributeTables(session: Session, onDone: (done: number, total: number) => void = () => undefined): Promise<number> {
  const { pending } = await planDistribution(session)
  for (const [at, { table, column, statement }] of pending.entries()) {
    await session.execute(`set lock_timeout = '${lockMs}ms'`)
    await session.execute(statement, copyMs)
    if (column !== null && (await hasLocalRows(session, table))) await session.execute(truncateStep(table).statement, copyMs)
    onDone(at + 1, pending.length)
  }
  // The partitions of a table are placed with it.
  for (const { statement, column } of (await planDistribution(session)).pending)
    if (column === null) await session.execute(statement, copyMs)
  return pending.length
}

/**
 * Within the transaction of a migration: distributes the tables that it created, where the schema is distributed. Columns and indexes of distributed tables are passed on by
 * Citus.
 */
export async function distributeCreated(session: Session, migrationText: string): Promise<void> {
  if ((await session.query(selectCatalog, [])).length === 0) return
  const placed = await listPlaced(session)
  if (!placed.has('cards')) return
  for (const table of listCreatedTables(migrationText)) {
    const placement = tablePlacements[table]
    if (placement === undefined || placement === 'local' || placed.has(table)) continue
    await session.execute(distributeStep(table, placement).statement, copyMs)
  }
}

/** The other connections of Tessera to this database. */
export async function countServiceConnections(session: Session): Promise<number> {
  const [row = {}] = await session.query(selectConnections, [])
  return readInteger(row, 'open')
}

function listCreatedTables(text: string): string[] {
  return [...text.matchAll(/^create table (?:if not exists )?(\w+)/gim)].map(([, name = '']) => name)
}

function distributeStep(table: string, column: Exclude<TablePlacement, 'local'>): DistributionStep {
  const [first] = listPlacedTables(column)
  const beside = table === first ? 'none' : first
  return { table, column, statement: `select create_distributed_table('${table}', '${column}', colocate_with => '${beside ?? 'none'}')` }
}

function truncateStep(table: string): DistributionStep {
  return { table, column: null, statement: `select truncate_local_data_after_distributing_table('${table}')` }
}

function requirePlacement(table: string, column: string): void {
  const placement = tablePlacements[table]
  // A partition has the name of its day.
  if (placement === undefined || placement === column) return
  throw new DistributionRefused(
    `the table ${table} is distributed by ${column === '' ? 'no column (a reference table)' : column}, and has to be ${placement === 'local' ? 'with the coordinator' : `distributed by ${placement}`}.`,
    `Undo it while no service runs: select undistribute_table('${table}').`,
  )
}

async function requireCitus(session: Session): Promise<string> {
  const [found] = await session.query(selectFunction, [])
  if (found === undefined) {
    const advice =
      'Citus is an extension of PostgreSQL that Debian does not have. Where it is installed, on each node: create extension citus; and on the coordinator: select citus_add_node(…).'
    throw new DistributionRefused('this database has no extension citus.', advice)
  }
  const [row = {}] = await session.query(selectVersion, [])
  const text = readText(row, 'version')
  const [, version = '', major = ''] = /Citus(?: \w+)? ((\d+)\.\d+)/.exec(text) ?? []
  if (Number(major) >= citusMajorMin) return version
  throw new DistributionRefused(
    `the extension citus is too old: ${version === '' ? text : version}.`,
    `Tessera needs Citus ${String(citusMajorMin)} or later: update it on each node.`,
  )
}

interface PlacedTable {
  readonly table: string
  /** The column of its distribution; '' for a reference table. */
  readonly column: string
  /** What the coordinator itself has of it. */
  readonly bytes: number
}

async function listPlaced(session: Session): Promise<Map<string, PlacedTable>> {
  const rows = await session.query(selectPlaced, [])
  const tables = rows.map((row) => ({ table: readText(row, 'name'), column: readText(row, 'part'), bytes: readInteger(row, 'bytes') }))
  return new Map(tables.map((each) => [each.table, each]))
}

async function hasLocalRows(session: Session, table: string): Promise<boolean> {
  return ((await listPlaced(session)).get(table)?.bytes ?? 0) > 0
}

// By their unqualified names: Citus has them in pg_catalog.
const selectFunction = sql`select 1 as one where to_regproc('citus_version') is not null`
const selectCatalog = sql`select 1 as one where to_regclass('pg_dist_partition') is not null`
const selectVersion = sql`select citus_version() as version`
const selectPlaced = sql`
  select c.relname::text as name, pg_relation_size(c.oid) as bytes,
    case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey::text) else '' end as part
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid where c.relnamespace = current_schema()::regnamespace
  order by c.relname`
const selectConnections = sql`
  select count(*) as open from pg_stat_activity
  where datname = current_database() and application_name = 'tessera' and pid <> pg_backend_pid()`

/** Statements of others queue behind one that waits for its table. */
const lockMs = 2000
/** Copying a large table takes as long as it is large. */
const copyMs = 24 * 3_600_000
