import { connect, type Socket } from 'node:net'

import { cutReply } from '../fault/http-connection.ts'

export interface WireReply {
  readonly status: number
  readonly body: string
}

/** A connection for requests that are written beforehand, one at a time. */
export interface WireConnection {
  /** Rejects when the connection ends before the reply. */
  send(request: Buffer): Promise<WireReply>
  close(): void
}

/** Connects to `http://host:port`. */
export async function openWireConnection(url: string): Promise<WireConnection> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let waiting: { resolve: (reply: WireReply) => void; reject: (err: Error) => void } | null = null
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const end = (err: Error): void => {
    waiting?.reject(err)
    waiting = null
  }
  socket.on('error', end)
  socket.on('close', () => end(new Error('a connection was closed before the reply')))
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const cut = cutReply(received)
    if (cut === null) return
    received = received.subarray(cut.bytes)
    waiting?.resolve(cut.reply)
    waiting = null
  })
  return {
    send(request) {
      const reply = new Promise<WireReply>((resolve, reject) => {
        waiting = { resolve, reject }
      })
      if (socket.destroyed) end(new Error('a connection was closed before the reply'))
      else socket.write(request)
      return reply
    },
    close: () => socket.destroy(),
  }
}
