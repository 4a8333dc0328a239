// Sends bad requests over several connections, run as a program; one line of JSON on stdin starts it, one on stdout ends it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { cutReply } from '../fault/connection.ts'
import { makeRandom } from '../fault/random.ts'
import { makeBadRequests } from './bad-requests.ts'
import type { BadLoad, BadLoadEnd } from './stall-words.ts'

const [first] = (await once(process.stdin, 'data')) as [Buffer]
const { url, xAuth, connections, ms, seed } = JSON.parse(first.toString()) as BadLoad
const { hostname, port, host } = new URL(url)
const nextRequest = makeBadRequests(makeRandom(seed), host, xAuth)
const startedAt = performance.now()
const end: BadLoadEnd = { requests: 0, results: 0, invalid: 0, closed: 0 }

await Promise.all(Array.from({ length: connections }, driveOn))
process.stdout.write(JSON.stringify(end))
process.exit(0)

/** A connection that the service closes, as it may after a broken request, is opened again. */
async function driveOn(): Promise<void> {
  while (goesOn()) {
    if (!(await drive())) end.closed += 1
    await pause(1)
  }
}

function goesOn(): boolean {
  return performance.now() - startedAt < ms
}

/** Until there is no time left (true) or the connection is closed (false). */
function drive(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let received: Buffer = Buffer.alloc(0)
    socket.on('connect', () => socket.write(nextRequest()))
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const cut = cutReply(received)
      if (cut === null) return
      received = received.subarray(cut.bytes)
      count(cut.reply.body)
      if (goesOn()) socket.write(nextRequest())
      else {
        resolve(true)
        socket.destroy()
      }
    })
  })
}

function count(body: string): void {
  end.requests += 1
  try {
    const reply: unknown = JSON.parse(body)
    for (const one of Array.isArray(reply) ? (reply as unknown[]) : [reply])
      if (one !== null && typeof one === 'object' && 'result' in one) end.results += 1
  } catch {
    end.invalid += 1
  }
}
