import { createHash } from 'node:crypto'

/** A value in a statement or a row, the same in both stores: a boolean is 0 or 1, a timestamp is unix milliseconds. */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value>>

/** One SQL statement that both stores understand, with placeholders `$1`, `$2`, … Created once, when its module is loaded. */
export interface Statement {
  /** Name of the prepared statement: a hash of its text, so that two versions of the program never share one by mistake. */
  readonly name: string
  readonly text: string
}

/** Makes a statement. Only our own SQL may be interpolated, never a value. */
export function sql(strings: TemplateStringsArray, ...fragments: readonly (string | number)[]): Statement {
  return makeStatement(String.raw({ raw: strings.raw }, ...fragments))
}

/** Makes a statement from composed text. */
export function makeStatement(source: string): Statement {
  const text = source.replace(/\s+/g, ' ').trim()
  return Object.freeze({ name: createHash('sha256').update(text).digest('hex').slice(0, 16), text })
}

/** `$1, $2, … $count`. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, (_, at) => `$${at + 1}`).join(', ')
}
