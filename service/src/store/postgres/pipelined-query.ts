import pg from 'pg'
import type { Row, Statement, Value } from '../statement.ts'
import { MessageWriter, type StepValue } from './wire-messages.ts'

/** A statement with its values. */
export interface Step {
  readonly statement: Statement
  readonly values: StepValues
}

export type StepValues = readonly StepValue[]

export interface StatementResult {
  readonly rows: readonly Row[]
  /** The server's command tag: `COMMIT`, `INSERT 0 1`. */
  readonly command: string
}

/** The statements that were prepared on one connection. */
export interface PreparedStatements {
  /** Names of the statements sent to be parsed. */
  readonly sent: Set<string>
  /** The columns of the statements that have run. */
  readonly columns: Map<string, readonly ResultColumn[]>
  /** Statements sent after a step that failed: it is unknown whether they were parsed. */
  readonly unsure: Set<string>
}

/**
 * Several statements that are sent together with one Sync at the end (PostgreSQL protocol, extended query): one round trip for all of them, where the
 * driver's own queries take one each. When a step fails, the server skips those after it.
 */
export class PipelinedQuery extends pg.Query {
  readonly #steps: readonly Step[]
  readonly #prepared: PreparedStatements
  readonly #parsing: string[] = []
  readonly #results: StatementResult[] = []
  #rows: Row[] = []
  readonly callback: (err: Error | null, results?: readonly StatementResult[]) => void

  constructor(
    steps: readonly Step[],
    prepared: PreparedStatements,
    callback: (err: Error | null, results?: readonly StatementResult[]) => void,
  ) {
    super('')
    this.#steps = steps
    this.#prepared = prepared
    this.callback = callback
  }

  /** How many steps the server has finished. */
  get finishedSteps(): number {
    return this.#results.length
  }

  /** Writes the messages as one buffer; the caller corks the connection. */
  override submit = (connection: pg.Connection): void => {
    messages.clear()
    for (const { statement, values } of this.#steps) {
      const { name, text } = statement
      if (!this.#prepared.sent.has(name)) {
        // Closing a statement that does not exist is no error.
        if (this.#prepared.unsure.delete(name)) messages.close(name)
        messages.parse(name, text)
        this.#prepared.sent.add(name)
        this.#parsing.push(name)
      }
      messages.bind(name, values)
      if (!this.#prepared.columns.has(name)) messages.describe()
      messages.execute()
    }
    messages.sync()
    const written = messages.take()
    const { stream } = connection
    if (stream.writable) stream.write(written)
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[] }): void {
    const step = this.#steps[this.#results.length]
    if (step === undefined) return
    this.#prepared.columns.set(
      step.statement.name,
      fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) })),
    )
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#prepared.columns.get(this.#steps[this.#results.length]?.statement.name ?? '') ?? []
    const row: Record<string, Value> = {}
    columns.forEach(({ name, read }, at) => {
      const field = fields[at] ?? null
      row[name] = field === null ? null : read(field)
    })
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const name = this.#steps[this.#results.length]?.statement.name ?? ''
    if (!this.#prepared.columns.has(name)) this.#prepared.columns.set(name, [])
    this.#results.push({ rows: this.#rows, command: text })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results)
  }

  handleError(err: Error): void {
    for (const name of this.#parsing) {
      this.#prepared.sent.delete(name)
      this.#prepared.unsure.add(name)
    }
    this.callback(err)
  }
}

export interface ResultColumn {
  readonly name: string
  readonly read: (field: string) => Value
}

/** Numbers as numbers, bytes as bytes; everything else in the store is text. */
function readerOf(oid: number): (field: string) => Value {
  if (oid === INT8 || oid === INT4 || oid === INT2) return Number
  return oid === BYTEA ? readBytes : String
}

/** `\x0a1b`, PostgreSQL's text format of bytes. */
function readBytes(field: string): Uint8Array {
  // Copied, since a small Buffer is part of a slab that it shares with others.
  return new Uint8Array(Buffer.from(field.slice(2), 'hex'))
}

/** Shared by all connections: a query writes all of its messages at once. */
const messages = new MessageWriter()

const [INT8, INT2, INT4, BYTEA] = [20, 21, 23, 17]
