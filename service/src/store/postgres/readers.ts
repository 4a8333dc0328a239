import type { Row } from '../statement.ts'
import { StoreUnavailable } from '../store.ts'
import type { Read } from '../transaction.ts'
import { postgresFaultOf } from './fault.ts'
import { connectUnless } from './primary.ts'
import type { Primary } from './primary.ts'
import type { Session } from './session.ts'

/** Runs queries on a few connections, pipelined: a query does not wait for the response to the one before. */
export interface Readers {
  read<T>(read: Read<T>): Promise<T>
  close(): Promise<void>
}

export function makeReaders(primary: Primary, count: number): Readers {
  const connections: ReadConnection[] = Array.from({ length: count }, () => ({ session: null, opening: null, pending: 0 }))
  let closed = false
  return {
    read: async ({ statement, values, map }) => {
      if (closed) throw new StoreUnavailable('the store is closed')
      const connection = leastBusy(connections)
      if (connection === undefined || connection.pending >= maxPending)
        throw new StoreUnavailable(`${maxPending * connections.length} reads are waiting`)
      let found: readonly Row[]
      connection.pending++
      try {
        const session = connection.session?.usable === true ? connection.session : await open(connection, primary, () => closed)
        found = await session.query(statement, values)
      } catch (err) {
        throw err instanceof Error && postgresFaultOf(err) === 'unavailable' ? new StoreUnavailable(err.message, { cause: err }) : err
      } finally {
        connection.pending--
      }
      return map(found)
    },
    close: async () => {
      closed = true
      await Promise.all(connections.map(endConnection))
    },
  }
}

interface ReadConnection {
  session: Session | null
  /** One attempt at a time: concurrent callers wait for the same one. */
  opening: Promise<Session> | null
  pending: number
}

async function endConnection({ opening, session }: ReadConnection): Promise<void> {
  await opening?.catch(() => undefined)
  await session?.end()
}

async function open(connection: ReadConnection, primary: Primary, isClosed: () => boolean): Promise<Session> {
  connection.opening ??= connectUnless(primary, isClosed).finally(() => (connection.opening = null))
  connection.session = await connection.opening
  return connection.session
}

function leastBusy(connections: readonly ReadConnection[]): ReadConnection | undefined {
  return connections.reduce<ReadConnection | undefined>(
    (least, each) => (least === undefined || each.pending < least.pending ? each : least),
    undefined,
  )
}

/** More waiting queries on one connection than this are refused. */
const maxPending = 4096
