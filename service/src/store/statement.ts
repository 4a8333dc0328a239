import { createHash } from 'node:crypto'

/** What a statement takes and gives. Truth is 0 or 1, a moment is unix milliseconds, bytes are bytes: the same in both stores. */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value>>

/** One SQL statement that both stores understand, with `$1` places. Made once, when its module is read. */
export interface Statement {
  /** Name of the prepared statement: of the text alone, so that two versions of the program never share one by mistake. */
  readonly name: string
  readonly text: string
}

/** Writes a statement; what is put in is our own SQL, never a value. */
export function sql(parts: TemplateStringsArray, ...put: readonly (string | number)[]): Statement {
  return makeStatement(String.raw({ raw: parts.raw }, ...put))
}

/** A statement of a text that was put together elsewhere. */
export function makeStatement(source: string): Statement {
  const text = source.replace(/\s+/g, ' ').trim()
  return Object.freeze({ name: createHash('sha256').update(text).digest('hex').slice(0, 16), text })
}

/** `$1, $2, … $count`. */
export function places(count: number): string {
  return Array.from({ length: count }, (_, at) => `$${at + 1}`).join(', ')
}
