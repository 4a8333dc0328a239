import { openWireConnection, type WireConnection, type WireReply } from './wire-connection.ts'

/** Requests that are sent at their time, whatever became of those before. */
export interface OpenLoop {
  /** `http://host:port`. */
  readonly url: string
  readonly perSecond: number
  readonly ms: number
  /** More wait until one is free, and that wait counts. */
  readonly connections: number
  /** A whole request as it is written to the connection. */
  readonly nextRequest: () => Buffer
  /** Whether a reply is what was asked for. */
  readonly isResult: (reply: WireReply) => boolean
}

export interface OpenLoopResult {
  /** From the time when each request was due until its whole reply was there, milliseconds. */
  readonly durations: readonly number[]
  readonly failed: number
  /** The first of them. */
  readonly failure: string
  /** How late requests were written at most although a connection was free: what this process adds. */
  readonly sentLateMs: number
}

/**
 * Sends at a fixed rate, and counts each duration from the moment when its request was due. A closed loop waits while the service pauses, and so measures one
 * slow reply where the users of a second would have had hundreds (coordinated omission); here each of those has its own wait, in the queue of the
 * connections too. Throws when a connection ends before its reply.
 */
export async function runOpenLoop(loop: OpenLoop): Promise<OpenLoopResult> {
  const durations: number[] = []
  let [failed, failure, sentLateMs] = [0, '', 0]
  const free: WireConnection[] = await Promise.all(Array.from({ length: loop.connections }, () => openWireConnection(loop.url)))
  const all = [...free]
  const due: number[] = []
  let inFlight = 0
  let settle = (): void => undefined
  let fail = (_err: Error): void => undefined
  const done = new Promise<void>((resolve, reject) => {
    settle = resolve
    fail = reject
  })
  const count = Math.floor((loop.perSecond * loop.ms) / 1000)
  let planned = 0

  const sendDue = (): void => {
    while (due.length > 0 && free.length > 0) {
      const [dueAt = 0, connection] = [due.shift(), free.pop()]
      if (connection === undefined) return
      inFlight += 1
      connection.send(loop.nextRequest()).then((reply) => {
        durations.push(performance.now() - dueAt)
        if (!loop.isResult(reply)) {
          failed += 1
          if (failure === '') failure = `${String(reply.status)} ${reply.body.slice(0, 300)}`
        }
        inFlight -= 1
        free.push(connection)
        sendDue()
        if (planned === count && due.length === 0 && inFlight === 0) settle()
      }, fail)
    }
  }

  const startedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    for (; planned < count; planned++) {
      const dueAt = startedAt + (planned / loop.perSecond) * 1000
      if (dueAt > now) break
      if (free.length > due.length) sentLateMs = Math.max(sentLateMs, now - dueAt)
      due.push(dueAt)
    }
    sendDue()
    if (planned === count) clearInterval(timer)
  }, 1)
  try {
    if (count === 0) throw new Error('a rate of less than one request in the time of a round measures nothing')
    await done
    return { durations, failed, failure, sentLateMs }
  } finally {
    clearInterval(timer)
    for (const connection of all) connection.close()
  }
}
