import { openConnection, type Connection } from '../fault/connection.ts'
import { makeRandom } from '../fault/random.ts'
import { startProgram, startTessera, type Running } from '../fault/spawn.ts'
import { scanMemory } from '../tools/scan-memory.ts'
import { drawPan, drawPans } from './cards.ts'
import type { Figure, Measurement } from './measurement.ts'

/** What is left of card numbers in the memory of a service that has just read them. */
export const pans: Measurement = {
  name: 'pans',
  question: 'Of 2,000 card numbers just sent, how many lie in the memory of the process, and how many after one more request?',
  async run({ homes, isQuick }) {
    const count = isQuick ? 200 : 2000
    const home = await homes.make('sqlite')
    const own = await startTessera({ flags: home.flags })
    const [found, later] = await sendAndScan(own, count)
    await own.stop()
    await home.remove()
    const plain = await startProgram('bench/plain.ts', { flags: [] })
    const [control] = await sendAndScan(plain, count)
    await plain.kill()
    const figure = (name: string, value: number, aim: Figure['aim']): Figure => ({
      of: 'pans',
      name,
      value,
      unit: `of ${count}`,
      ...(aim === undefined ? {} : { aim }),
    })
    return [
      figure('in memory', found, { most: 1 }),
      figure('after one more request', later, { most: 0 }),
      // Many strings are gone by then: the young generation is collected often. What is left shows that the scan sees them.
      figure('control, JSON.parse', control, { least: count / 20 }),
    ]
  },
}

/** Numbers found right after the last reply, and again after one more request on each connection's turn. */
async function sendAndScan(running: Running, count: number): Promise<[number, number]> {
  const random = makeRandom(count)
  const sent = drawPans(random, count)
  const xAuth = running.xAuth.slice(0, running.xAuth.indexOf(':'))
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => openConnection(running.url)))
  const left = sent.values()
  await Promise.all(connections.map((connection) => sendRest(connection, xAuth, left)))
  const found = scanStill(running, new Set(sent))
  const [first] = connections
  if (first !== undefined) await send(first, xAuth, drawPan(random))
  const later = scanStill(running, new Set(sent))
  for (const connection of connections) connection.close()
  return [found, later]
}

async function sendRest(connection: Connection, xAuth: string, left: Iterable<string>): Promise<void> {
  for (const pan of left) await send(connection, xAuth, pan)
}

async function send(connection: Connection, xAuth: string, pan: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.create', params: { card: { number: pan, expire: '0399' } } })
  const reply = await connection.post('/api/cards.create', xAuth, body)
  if (!reply.body.includes('"result":')) throw new Error(`cards.create was answered ${reply.body.slice(0, 200)}`)
}

function scanStill({ pid }: Running, sent: ReadonlySet<string>): number {
  process.kill(pid, 'SIGSTOP')
  try {
    return scanMemory(pid, sent).size
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

const connectionCount = 16
