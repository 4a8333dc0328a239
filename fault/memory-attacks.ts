import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunningService } from './spawn.ts'

/** Clients that take the service's memory. None of them knows a password. */
export interface MemoryAttack {
  readonly name: string
  /** Attacks for `ms`, and until `seen` resolves. Resolves when its connections are closed, with how many were opened. */
  run(target: RunningService, ms: number, seen?: Promise<unknown>): Promise<number>
}

/** 64 calls are sent on each connection of one address, and no reply is read. */
export const unreadReplies: MemoryAttack = {
  name: 'unread replies',
  run: (target, ms, seen) =>
    hold(target, [pause(ms), seen], { connections: 200, addresses: 1, write: (socket) => sendUnread(socket, callOf(discover), 64) }),
}

/** Batches of 20 calls with the largest reply that needs no X-Auth; no reply is read. */
export const unreadBatches: MemoryAttack = {
  name: '20-call batches, unread',
  run: (target, ms, seen) =>
    hold(target, [pause(ms), seen], {
      connections: 400,
      addresses: 4,
      write: (socket) => sendUnread(socket, callOf(`[${Array(20).fill(discover).join(',')}]`), 16),
    }),
}

/** The card form, whose document is written for each request: the largest reply that is not shared. */
export const unreadPages: MemoryAttack = {
  name: 'unread pages',
  run: (target, ms, seen) =>
    hold(target, [pause(ms), seen], {
      connections: 400,
      addresses: 4,
      write: (socket) => sendUnread(socket, `GET ${formPage} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`, 200),
    }),
}

/** Bodies of 64 KiB, of which the last part comes byte by byte. */
const slowBodies: MemoryAttack = {
  name: '64 KiB bodies, slowly',
  run: (target, ms, seen) => hold(target, [pause(ms), seen], { connections: 8000, addresses: 8, write: sendSlowly }),
}

const idleSockets: MemoryAttack = {
  name: '8,000 idle sockets',
  run: (target, ms, seen) =>
    hold(target, [pause(ms), seen], { connections: 8000, addresses: 8, write: (socket) => void socket.write('POST /api') }),
}

/** 1,000 a second, compressed and not, each reply read. */
const discoverFlood: MemoryAttack = {
  name: 'rpc.discover, 1,000 a second',
  async run(target, ms, seen) {
    const sockets = await openSockets(target, { connections: 40, addresses: 4 })
    for (const socket of sockets) socket.resume()
    const startedAt = performance.now()
    for (let sent = 0; performance.now() - startedAt < ms;) {
      const due = performance.now() - startedAt
      for (; sent < due; sent++) sockets[sent % sockets.length]?.write(callOf(discover, sent % 2 === 0 ? 'accept-encoding: gzip\r\n' : ''))
      await pause(5)
    }
    await seen
    return close(sockets)
  },
}

export const memoryAttacks: readonly MemoryAttack[] = [unreadReplies, unreadBatches, unreadPages, slowBodies, idleSockets, discoverFlood]

interface Crowd {
  readonly connections: number
  readonly addresses: number
}

interface HoldingCrowd extends Crowd {
  readonly write: (socket: Socket, at: number) => void
}

/** Opens connections, writes to each, reads from none, and keeps them until `ends` have resolved, or the service has closed them. */
async function hold(target: RunningService, ends: readonly unknown[], crowd: HoldingCrowd): Promise<number> {
  const sockets = await openSockets(target, crowd)
  sockets.forEach(crowd.write)
  const closed = Promise.all(
    sockets.map((socket) => (socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve)))),
  )
  await Promise.race([Promise.all(ends), closed])
  return close(sockets)
}

/** In portions, so that the listener's queue does not overflow. */
async function openSockets({ url }: RunningService, { connections, addresses }: Crowd): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  while (sockets.length < connections) {
    const more = Array.from({ length: Math.min(200, connections - sockets.length) }, (_, at) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.9.${1 + (at % addresses)}` })
      socket.on('error', () => undefined)
      return socket.pause()
    })
    sockets.push(...more)
    await Promise.all(more.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))))
  }
  return sockets
}

function close(sockets: readonly Socket[]): number {
  for (const socket of sockets) socket.destroy()
  return sockets.length
}

function sendUnread(socket: Socket, request: string, count: number): void {
  socket.write(request.repeat(count))
}

function sendSlowly(socket: Socket): void {
  const body = `{"id":1,"method":"cards.create","params":{"account":"${'x'.repeat(60 * 1024)}`
  socket.write(`POST /api HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 65536\r\n\r\n${body}`)
  const drip = setInterval(() => socket.write('x'), 250)
  socket.once('close', () => clearInterval(drip))
}

function callOf(body: string, header = ''): string {
  return `POST /api HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}content-length: ${body.length}\r\n\r\n${body}`
}

const discover = '{"id":1,"method":"rpc.discover"}'
const formPage = '/form/v1?merchant=65f0c0ffee0000000000cafe&origin=http://127.0.0.1'
