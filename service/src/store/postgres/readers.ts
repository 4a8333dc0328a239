import type { Row } from '../statement.ts'
import { type ConnectionPool, StoreUnavailable } from '../store.ts'
import type { Read } from '../transaction.ts'
import { readDeadline, timeLeft, untilDeadline } from '../time-limits.ts'
import { damagedError, isDamaged, type PostgresFault, postgresFaultOf } from './fault.ts'
import { connectUnless } from './primary.ts'
import type { Primary } from './primary.ts'
import { makeReadBatch, type ReadBatch } from './read-batch.ts'
import type { Session } from './session.ts'

/** Runs queries on a few connections, pipelined: a query does not wait for the response to the one before. */
export interface Readers {
  read<T>(read: Read<T>): Promise<T>
  usage(name: ConnectionPool['name']): ConnectionPool
  close(): Promise<void>
}

/** `ms` is the time limit of a query; null: that of a request. */
export function makeReaders(primary: Primary, count: number, ms: number | null = null): Readers {
  const connections: ReadConnection[] = Array.from({ length: count }, () => ({ session: null, batch: null, opening: null, pending: 0 }))
  let closed = false
  return {
    read: async ({ statement, values, map }) => {
      if (closed) throw new StoreUnavailable('the store is closed')
      const connection =
        connections.find(({ batch, pending }) => batch?.isFilling === true && pending < maxPending) ?? leastBusy(connections)
      if (connection === undefined || connection.pending >= maxPending)
        throw new StoreUnavailable(`${maxPending * connections.length} reads are waiting`)
      const deadline = ms === null ? readDeadline() : performance.now() + ms
      let found: readonly Row[]
      connection.pending++
      try {
        const opened = connection.session?.usable === true ? connection.batch : null
        const batch =
          opened ??
          (await untilDeadline(
            open(connection, primary, () => closed),
            deadline,
            'connecting',
          ))
        const left = timeLeft(deadline)
        // Whatever reads a whole table shares no response.
        found = await (ms === null ? batch.read(statement, values, left) : batch.session.query(statement, values, left))
      } catch (err) {
        if (isDamaged(err)) throw damagedError(err)
        throw err instanceof Error && !(err instanceof StoreUnavailable) && passingFaults.has(postgresFaultOf(err))
          ? new StoreUnavailable(err.message, { cause: err })
          : err
      } finally {
        connection.pending--
      }
      return map(found)
    },
    usage: (name) => {
      const busy = connections.filter(({ pending }) => pending > 0)
      const idle = connections.filter(({ pending, session }) => pending === 0 && session?.usable === true).length
      const waiting = busy.reduce((sum, { pending }) => sum + pending - 1, 0)
      return { name, inUse: busy.length, idle, closed: connections.length - busy.length - idle, waiting }
    },
    close: async () => {
      closed = true
      await Promise.all(connections.map(endConnection))
    },
  }
}

/** A read that ended because of another transaction, or because a server has no room for its temporary files, succeeds another time. */
const passingFaults: ReadonlySet<PostgresFault> = new Set(['unavailable', 'again', 'full'])

interface ReadConnection {
  session: Session | null
  /** The reads of the session. */
  batch: ReadBatch | null
  /** One attempt at a time: concurrent callers wait for the same one. */
  opening: Promise<Session> | null
  pending: number
}

async function endConnection({ opening, session }: ReadConnection): Promise<void> {
  await opening?.catch(() => undefined)
  await session?.end()
}

async function open(connection: ReadConnection, primary: Primary, isClosed: () => boolean): Promise<ReadBatch> {
  connection.opening ??= connectForReading(primary, isClosed).finally(() => (connection.opening = null))
  const session = await connection.opening
  if (connection.session !== session || connection.batch === null) connection.batch = makeReadBatch(session)
  connection.session = session
  return connection.batch
}

/** A read waits for a lock only when somebody changes its table; those behind it on the connection should not wait long. */
async function connectForReading(primary: Primary, isClosed: () => boolean): Promise<Session> {
  const session = await connectUnless(primary, isClosed)
  try {
    await session.execute(`set lock_timeout = '${readLockMs}ms'`)
  } catch (err) {
    session.destroy()
    throw err
  }
  if (!isClosed()) return session
  await session.end()
  throw new StoreUnavailable('the store is closed')
}

function leastBusy(connections: readonly ReadConnection[]): ReadConnection | undefined {
  return connections.reduce<ReadConnection | undefined>(
    (least, each) => (least === undefined || each.pending < least.pending ? each : least),
    undefined,
  )
}

/** More waiting queries on one connection than this are refused. */
const maxPending = 4096
const readLockMs = 100
