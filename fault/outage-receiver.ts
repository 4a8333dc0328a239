import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** A merchant's endpoint for events, in the process of the experiment. It hears each event once, however often it is sent. */
export interface OutageReceiver {
  readonly url: string
  /** The events that it answered, by their id. */
  readonly arrivals: ReadonlyMap<string, EventArrival>
  /** Requests that it reads and never answers: those in progress, and how many the sender has given up. */
  readonly unanswered: { readonly inProgress: number; readonly givenUp: number }
  /** Stops listening: connections are refused until it is back. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): void
}

export interface EventArrival {
  readonly cardId: string
  /** From the time of the event to its first arrival. */
  readonly latencyMs: number
  /** Of `performance.now()`. */
  readonly at: number
}

export interface OutageReceiverOptions {
  /** How long it takes to answer; null: it never answers. */
  readonly answerMs: (() => number) | null
}

export async function startOutageReceiver({ answerMs }: OutageReceiverOptions): Promise<OutageReceiver> {
  const arrivals = new Map<string, EventArrival>()
  const unanswered = { inProgress: 0, givenUp: 0 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (answerMs === null) holdUnanswered(response)
      else answer(String(request.headers['webhook-id']), Buffer.concat(chunks).toString(), response, answerMs())
    })
  })
  const port = await listen(0)
  return {
    url: `http://127.0.0.1:${port}/events`,
    arrivals,
    unanswered,
    async goAway() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async comeBack() {
      await listen(port)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }

  async function listen(at: number): Promise<number> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  function answer(id: string, body: string, response: ServerResponse, ms: number): void {
    const { timestamp, data } = JSON.parse(body) as { timestamp: string; data: { card: { id: string } } }
    if (!arrivals.has(id)) arrivals.set(id, { cardId: data.card.id, latencyMs: Date.now() - Date.parse(timestamp), at: performance.now() })
    setTimeout(() => response.writeHead(204).end(), ms)
  }

  function holdUnanswered(response: ServerResponse): void {
    unanswered.inProgress += 1
    response.once('close', () => {
      unanswered.inProgress -= 1
      unanswered.givenUp += 1
    })
  }
}
