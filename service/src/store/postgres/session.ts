import pg from 'pg'
import type { Row, Statement, Value } from '../statement.ts'
import { Flight } from './flight.ts'
import type { Landed, Prepared, Step } from './flight.ts'

/** One connection. What is sent may be followed by more without waiting; answers come in order. */
export interface Session {
  /** False once the connection is lost; nothing may be asked of it then. */
  readonly usable: boolean
  /** Whether the server has warned (SQLSTATE class 01) since this was last asked. */
  takeWarning(): boolean
  /**
   * Sends statements together. Throws `FlightFailed`. When `ms` pass without an answer the connection is destroyed: whatever was under way
   * is undone there.
   */
  send(steps: readonly Step[], ms?: number): Promise<readonly Landed[]>
  /** Asks one statement for its rows. */
  ask(statement: Statement, values: readonly Value[], ms?: number): Promise<readonly Row[]>
  /** Says plain SQL of several statements, such as a migration. */
  say(text: string, ms?: number): Promise<void>
  /** Ends it politely, after what is under way; or at once when the server does not answer for a second. */
  end(): Promise<void>
  destroy(): void
}

/** A flight that did not arrive whole. */
export class FlightFailed extends Error {
  /** How many of its steps the server is known to have finished. */
  readonly landed: number

  constructor(cause: Error, landed: number) {
    super(cause.message, { cause })
    this.landed = landed
  }
}

/** How a connection ended by itself: the other side closed it, or did not answer in time. */
export type Lost = 'closed' | 'silent'

/** Connects to one host. `lost` is called once when the connection ends by itself. */
export async function openSession(url: string, lost: (how: Lost) => void): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tessera',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
  })
  let usable = true
  let warned = false
  const gone = (how: Lost): void => {
    if (!usable) return
    usable = false
    lost(how)
  }
  client.on('error', () => gone('closed'))
  client.on('end', () => gone('closed'))
  client.on('notice', (notice) => (warned ||= notice.code?.startsWith('01') === true))
  await client.connect()

  const { stream } = client.connection
  const prepared: Prepared = { sent: new Set(), columns: new Map(), unsure: new Set() }
  const gatherTurn = makeGatherer(stream)
  const send = (steps: readonly Step[], ms = QUERY_MS): Promise<readonly Landed[]> =>
    new Promise((resolve, reject) => {
      gatherTurn()
      const flight: Flight = new Flight(steps, prepared, ms, (err, landed) => {
        // The driver ends the connection as well.
        if (err?.message === 'Query read timeout') gone('silent')
        if (err === null) resolve(landed ?? [])
        else reject(new FlightFailed(err, flight.landed))
      })
      client.query(flight)
    })

  return {
    get usable() {
      return usable
    },
    takeWarning: () => {
      const had = warned
      warned = false
      return had
    },
    send,
    ask: async (statement, values, ms) => (await send([{ statement, values }], ms))[0]?.rows ?? [],
    say: async (text, ms = QUERY_MS) => {
      await client.query({ text, query_timeout: ms } as pg.QueryConfig)
    },
    end: async () => {
      usable = false
      // The driver waits for the server's goodbye, of a silent one for ever.
      const silent = setTimeout(() => stream.destroy(), END_MS)
      await client.end().finally(() => clearTimeout(silent))
    },
    destroy: () => {
      gone('closed')
      stream.destroy()
    },
  }
}

/** Sends all that one turn of the event loop writes with one system call; measured, those calls were half the work. */
function makeGatherer(stream: pg.Connection['stream']): () => void {
  let corked = false
  return () => {
    if (corked) return
    corked = true
    stream.cork()
    setImmediate(() => {
      corked = false
      stream.uncork()
    })
  }
}

/** How long a connection may take, and a statement. node-postgres waits for ever by default. */
const CONNECT_MS = 1000
export const QUERY_MS = 2000
const END_MS = 1000
