import type { Row } from './statement.ts'

/** Reads a text column. A column of another kind is a broken row: it throws `RowBroken`, which names the column and never its content. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new RowBroken(column)
  return value
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

export function integer(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new RowBroken(column)
  return value
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column)
}

/** Truth is kept as 0 or 1. */
export function truth(row: Row, column: string): boolean {
  const value = integer(row, column)
  if (value !== 0 && value !== 1) throw new RowBroken(column)
  return value === 1
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new RowBroken(column)
  return value
}

export function word<const W extends string>(row: Row, column: string, words: readonly W[]): W {
  const value = words.find((each) => each === row[column])
  if (value === undefined) throw new RowBroken(column)
  return value
}

/** A text from outside is kept as a JSON string: it may hold U+0000, which PostgreSQL's text cannot. */
export function quote(outside: string): string {
  return JSON.stringify(outside)
}

/** Reads what `quote` wrote. */
export function quoted(row: Row, column: string): string {
  const read = readJson(text(row, column))
  if (typeof read !== 'string') throw new RowBroken(column)
  return read
}

export function quotedOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : quoted(row, column)
}

/** A stored row is not what was written: bit rot, or a hand in the database. */
export class RowBroken extends Error {
  readonly column: string

  constructor(column: string) {
    super(`a stored row is broken at column ${column}`)
    this.column = column
  }
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
