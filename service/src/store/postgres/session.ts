import pg from 'pg'
import type { Row, Statement, Value } from '../statement.ts'

/** One connection. Statements may be sent behind each other without waiting; their answers come in order. */
export interface Session {
  /** False once the connection is lost; nothing may be asked of it then. */
  readonly usable: boolean
  /** Whether the server has warned (SQLSTATE class 01) since this was last asked. */
  takeWarning(): boolean
  /** Asks a prepared statement. When `ms` pass without an answer the connection is destroyed: whatever was under way has to be undone there. */
  ask(statement: Statement, values: readonly (Value | readonly Value[])[], ms?: number): Promise<readonly Row[]>
  /** Says plain SQL, such as `begin`; tells the command that the server says it ran. */
  say(text: string, ms?: number): Promise<string>
  /** Ends it politely, or at once. */
  end(): Promise<void>
  destroy(): void
}

/** Connects to one host. `lost` is called once when the connection ends by itself. */
export async function openSession(url: string, lost: () => void): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tessera',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types: { getTypeParser },
  })
  let usable = true
  let warned = false
  const gone = (): void => {
    if (!usable) return
    usable = false
    lost()
  }
  client.on('error', gone)
  client.on('end', gone)
  client.on('notice', (notice) => (warned ||= notice.code?.startsWith('01') === true))
  await client.connect()

  const { stream } = client.connection
  let corked = false
  /** Sends all that one turn asks with one system call; measured, those calls were half the work. */
  const gatherTurn = (): void => {
    if (corked) return
    corked = true
    stream.cork()
    setImmediate(() => {
      corked = false
      stream.uncork()
    })
  }

  const session: Session = {
    get usable() {
      return usable
    },
    takeWarning: () => {
      const had = warned
      warned = false
      return had
    },
    ask: async ({ name, text }, values, ms = QUERY_MS) => {
      gatherTurn()
      const question = { name, text, values: values as unknown[], query_timeout: ms }
      return (await client.query<Record<string, Value>>(question)).rows
    },
    say: async (text, ms = QUERY_MS) => {
      gatherTurn()
      const { command } = await client.query({ text, query_timeout: ms } as pg.QueryConfig)
      return command
    },
    end: async () => {
      usable = false
      await client.end()
    },
    destroy: () => {
      gone()
      stream.destroy()
    },
  }
  return session
}

/** Numbers as numbers, bytes as bytes; everything else that the store keeps is text. */
function getTypeParser(oid: number): (value: string) => Value {
  if (oid === INT8 || oid === INT4 || oid === INT2) return Number
  return oid === BYTEA ? readBytes : String
}

/** `\x0a1b`, PostgreSQL's own way to write bytes. */
function readBytes(value: string): Uint8Array {
  // A copy: a small buffer lies in a slab that others share.
  return new Uint8Array(Buffer.from(value.slice(2), 'hex'))
}

const [INT8, INT2, INT4, BYTEA] = [20, 21, 23, 17]
/** How long a connection may take, and a statement. node-postgres waits for ever by default. */
const CONNECT_MS = 1000
export const QUERY_MS = 2000
