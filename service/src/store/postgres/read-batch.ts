import type { Row, Statement, Value } from '../statement.ts'
import type { Session } from './session.ts'

/** Reads rows on one connection. Those of one turn of the event loop are sent together, with one Sync: one transaction of the server, and one response. */
export interface ReadBatch {
  readonly session: Session
  read(statement: Statement, values: readonly Value[], ms: number): Promise<readonly Row[]>
  /** Whether reads are waiting for the end of the turn, and there is room for more. */
  readonly isFilling: boolean
}

interface WaitingRead {
  readonly statement: Statement
  readonly values: readonly Value[]
  /** Monotonic milliseconds. */
  readonly deadline: number
  readonly resolve: (rows: readonly Row[] | Promise<readonly Row[]>) => void
  readonly reject: (err: unknown) => void
}

export function makeReadBatch(session: Session): ReadBatch {
  let waiting: WaitingRead[] = []
  return {
    session,
    read: (statement, values, ms) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(sendWaiting)
        waiting.push({ statement, values, deadline: performance.now() + ms, resolve, reject })
      }),
    get isFilling() {
      return waiting.length > 0 && waiting.length < maxReads
    },
  }

  function sendWaiting(): void {
    const reads = waiting
    waiting = []
    for (let from = 0; from < reads.length; from += maxReads) void sendReads(reads.slice(from, from + maxReads))
  }

  async function sendReads(reads: readonly WaitingRead[]): Promise<void> {
    try {
      const ms = Math.min(...reads.map(({ deadline }) => deadline)) - performance.now()
      const results = await session.sendAtOnce(reads, Math.max(1, ms))
      for (const [at, { resolve }] of reads.entries()) resolve(results[at]?.rows ?? [])
    } catch (err) {
      // The server skips the reads after one that fails: each is repeated, so that only that one fails.
      if (reads.length > 1 && session.usable) for (const read of reads) repeatAlone(read)
      else for (const { reject } of reads) reject(err)
    }
  }

  function repeatAlone({ statement, values, deadline, resolve }: WaitingRead): void {
    resolve(session.query(statement, values, Math.max(1, deadline - performance.now())))
  }
}

/** Rows of the first read wait for those of the last. */
const maxReads = 32
