// Sends bad requests over several connections, run as a program; one line of JSON on stdin starts it, one on stdout ends it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { cutReply } from '../fault/http-connection.ts'
import { makeRandom } from '../fault/random.ts'
import { makeCostlyRequests } from './bad-requests.ts'
import type { BadLoad, BadLoadResult } from './stall-messages.ts'

const [first] = (await once(process.stdin, 'data')) as [Buffer]
const { url, xAuth, connections, ms, seed } = JSON.parse(first.toString()) as BadLoad
const { hostname, port, host } = new URL(url)
const nextRequest = makeCostlyRequests(makeRandom(seed), host, xAuth)
const startedAt = performance.now()
const end: BadLoadResult = { requests: 0, results: 0, invalid: 0, closed: 0 }

await Promise.all(Array.from({ length: connections }, driveRepeatedly))
process.stdout.write(JSON.stringify(end))
process.exit(0)

/** Reopens a connection that the service closes, as it may after a malformed request. */
async function driveRepeatedly(): Promise<void> {
  while (isRunning()) {
    if (!(await drive())) end.closed += 1
    await pause(1)
  }
}

function isRunning(): boolean {
  return performance.now() - startedAt < ms
}

/** Resolves with true when the time is over, and with false when the connection is closed. */
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
      if (isRunning()) socket.write(nextRequest())
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
