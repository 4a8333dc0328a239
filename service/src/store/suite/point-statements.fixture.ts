import { readdirSync } from 'node:fs'
import type { Statement } from '../statement.ts'
import type { Table } from '../table.ts'
import type { Columns } from '../columns.ts'

export interface UniqueIndex {
  readonly table: string
  readonly name: string
  readonly columns: readonly string[]
}

/** A statement that finds a row of a table by all columns of a unique index. */
export interface PointStatement {
  readonly statement: Statement
  readonly table: string
  /** The unique indexes whose columns it names. */
  readonly unique: readonly string[]
}

/** Loads every file of a table, and so makes its statements. Returns those that a table makes when they are first used. */
export async function importTables(): Promise<Statement[]> {
  const made: Statement[] = []
  const folder = new URL('../', import.meta.url)
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !/\.(test|suite|fixture)\.ts$/.test(name))) {
    const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>
    for (const table of Object.values(exported).filter(isTable)) {
      if (table.keys.length > 0) made.push(table.selectStatement)
      if (table.names.includes('version')) made.push(table.updateStatement)
    }
  }
  return made
}

function isTable(value: unknown): value is Table<Columns> {
  return typeof value === 'object' && value !== null && 'insertSql' in value
}

/** Those of the statements that find a row by a key. Statements of several tables are left out: their plans have tests of their own. */
export function pointStatements(statements: readonly Statement[], indexes: readonly UniqueIndex[]): PointStatement[] {
  return statements.flatMap((statement) => {
    const [, table, condition = ''] =
      /^(?:select (?:(?! from ).)* from|delete from|update) (\w+) (?:set (?:(?! where ).)* )?where (.*)$/.exec(statement.text) ?? []
    if (table === undefined || / (join|from|select) /.test(condition)) return []
    const named = new Set([...condition.matchAll(/\b(\w+) = \$\d+/g)].map(([, column]) => column))
    const unique = indexes.filter((index) => index.table === table && index.columns.every((column) => named.has(column)))
    return unique.length === 0 ? [] : [{ statement, table, unique: unique.map(({ name }) => name) }]
  })
}
