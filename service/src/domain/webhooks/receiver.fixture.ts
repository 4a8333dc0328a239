import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A merchant's endpoint on this machine. */
export interface Receiver {
  readonly url: string
  readonly heard: Heard[]
  /** How it replies from now on; initially with 200. */
  answer: (reply: ServerResponse, heard: Heard) => void
  close(): Promise<void>
}

export interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly id: string
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const heard = { headers: request.headers, body: Buffer.concat(chunks).toString(), id: String(request.headers['webhook-id']) }
      receiver.heard.push(heard)
      receiver.answer(reply, heard)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    heard: [],
    answer: answerStatus(200),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

export function answerStatus(status: number): Receiver['answer'] {
  return (reply) => void reply.writeHead(status).end()
}
