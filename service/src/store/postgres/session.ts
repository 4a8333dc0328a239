import pg from 'pg'
import type { Row, Statement, Value } from '../statement.ts'
import { PipelinedQuery } from './pipelined-query.ts'
import type { StatementResult, PreparedStatements, Step } from './pipelined-query.ts'
import { AwaitedReply, makeReplyWatch } from './reply-watch.ts'

/**
 * One connection. More may be sent without waiting for a response; responses come in order. It is destroyed when a transaction begins before the last one has
 * ended.
 */
export interface Session {
  /** False once the connection is lost; it must not be used then. */
  readonly usable: boolean
  /** Whether the server has sent a warning (SQLSTATE class 01) since the last call. */
  takeWarning(): boolean
  /**
   * Sends statements together. Throws `PipelineFailed`. When `ms` pass without a response the connection is destroyed, which rolls back
   * what was in progress. `mayWaitForRow`: a statement may be waiting for what another session has locked, so the server does not count as silent then.
   */
  send(steps: readonly Step[], ms?: number, mayWaitForRow?: boolean): Promise<readonly StatementResult[]>
  /** The same at once, where `send` waits for the end of the turn: for what has been collected until then. */
  sendAtOnce(steps: readonly Step[], ms?: number): Promise<readonly StatementResult[]>
  /** Runs one statement and returns its rows. */
  query(statement: Statement, values: readonly Value[], ms?: number): Promise<readonly Row[]>
  /** Runs plain SQL of several statements, such as a migration. */
  execute(text: string, ms?: number): Promise<void>
  /** Closes the connection after what is in progress; at once when the server does not respond for a second. */
  end(): Promise<void>
  destroy(): void
}

/** A pipelined query of which not every step was finished. */
export class PipelineFailed extends Error {
  /** How many of its steps the server is known to have finished. */
  readonly finishedSteps: number

  constructor(cause: Error, finishedSteps: number) {
    super(cause.message, { cause })
    this.finishedSteps = finishedSteps
  }
}

/** How a connection ended by itself: the server closed it (or a statement waited too long for a row), or did not respond in time. */
export type ConnectionLoss = 'closed' | 'silent'

/** Connects to one host. `lost` is called once when the connection ends by itself. */
export async function openPostgresSession(url: string, lost: (how: ConnectionLoss) => void): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tessera',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
  })
  let usable = true
  let warned = false
  const markLost = (how: ConnectionLoss): void => {
    if (!usable) return
    usable = false
    lost(how)
  }
  client.on('error', () => markLost('closed'))
  client.on('end', () => markLost('closed'))
  client.on('notice', ({ code }) => {
    warned ||= code?.startsWith('01') === true
    if (code === ACTIVE_SQL_TRANSACTION) destroy()
  })
  await client.connect()

  const { stream } = client.connection
  const destroy = (): void => {
    markLost('closed')
    stream.destroy()
  }
  const prepared: PreparedStatements = { sent: new Set(), columns: new Map(), unsure: new Set() }
  const corkTurn = makeCorker(stream)
  const watch = makeReplyWatch()
  const sendAtOnce = (steps: readonly Step[], ms = QUERY_MS, mayWaitForRow = false): Promise<readonly StatementResult[]> =>
    new Promise((resolve, reject) => {
      const query: PipelinedQuery = new PipelinedQuery(steps, prepared, (err, results) => {
        watch.remove(reply)
        if (err === null) resolve(results ?? [])
        else reject(new PipelineFailed(err, query.finishedSteps))
      })
      const reply = new AwaitedReply(performance.now() + ms, () => {
        markLost(mayWaitForRow ? 'closed' : 'silent')
        query.callback(new Error(`the server did not reply in ${String(Math.round(ms))} ms`))
        // What waits behind it could only be late too: the driver rejects it when the connection has ended.
        stream.destroy()
      })
      watch.add(reply)
      client.query(query)
    })
  const send: Session['send'] = (steps, ms, mayWaitForRow) => {
    corkTurn()
    return sendAtOnce(steps, ms, mayWaitForRow)
  }

  return {
    get usable() {
      return usable
    },
    takeWarning: () => {
      const hadWarning = warned
      warned = false
      return hadWarning
    },
    send,
    sendAtOnce: (steps, ms) => sendAtOnce(steps, ms),
    query: async (statement, values, ms) => (await send([{ statement, values }], ms))[0]?.rows ?? [],
    execute: async (text, ms = QUERY_MS) => {
      await client.query({ text, query_timeout: ms } as pg.QueryConfig)
    },
    end: async () => {
      usable = false
      // The driver waits for the server to close the connection, with a silent server for ever.
      const silent = setTimeout(() => stream.destroy(), END_MS)
      await client.end().finally(() => clearTimeout(silent))
    },
    destroy,
  }
}

/** Sends everything that one turn of the event loop writes with one system call. Measured: without it, these calls are half of the work. */
function makeCorker(stream: pg.Connection['stream']): () => void {
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

/** The warning after BEGIN when a transaction is open already: its rows would be committed with those of another, so the connection is given up. */
const ACTIVE_SQL_TRANSACTION = '25001'

/** Time limits of connecting and of a statement. node-postgres waits for ever by default. */
const CONNECT_MS = 1000
const QUERY_MS = 2000
const END_MS = 1000
