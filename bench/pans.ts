import { openHttpConnection, type HttpConnection } from '../fault/http-connection.ts'
import { makeRandom } from '../fault/random.ts'
import { startProgram, startService, type RunningService } from '../fault/spawn.ts'
import { scanMemory } from '../tools/scan-memory.ts'
import { drawSeededPan, drawPans } from '../fault/seeded-pans.ts'
import type { Measure, Measurement } from './measurement.ts'

/** What is left of card numbers in the memory of a service that has just read them. */
export const pans: Measurement = {
  name: 'pans',
  question: 'Of 2,000 card numbers just sent, how many are in the memory of the process, and how many after one more request?',
  async run({ dataFactory, isQuick }) {
    const count = isQuick ? 200 : 2000
    const serviceData = await dataFactory.create('sqlite')
    const own = await startService({ flags: serviceData.flags })
    const [found, later] = await sendAndScan(own, count)
    await own.stop()
    await serviceData.remove()
    const plain = await startProgram('bench/plain.ts', { flags: [] })
    const [control] = await sendAndScan(plain, count)
    await plain.kill()
    const measure = (name: string, value: number, target: Measure['target']): Measure => ({
      of: 'pans',
      name,
      value,
      unit: `of ${count}`,
      ...(target === undefined ? {} : { target: target }),
    })
    return [
      measure('in memory', found, { most: 1 }),
      measure('after one more request', later, { most: 0 }),
      // Many strings are already collected by then. The rest shows that the scan finds them.
      measure('control, JSON.parse', control, { least: count / 20 }),
    ]
  },
}

/** Returns how many numbers are in memory right after the last reply, and after one more request. */
async function sendAndScan(running: RunningService, count: number): Promise<[number, number]> {
  const random = makeRandom(count)
  const sent = drawPans(random, count)
  const xAuth = running.xAuth.slice(0, running.xAuth.indexOf(':'))
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => openHttpConnection(running.url)))
  const left = sent.values()
  await Promise.all(connections.map((connection) => sendRest(connection, xAuth, left)))
  const found = scanStill(running, new Set(sent))
  const [first] = connections
  if (first !== undefined) await send(first, xAuth, drawSeededPan(random))
  const later = scanStill(running, new Set(sent))
  for (const connection of connections) connection.close()
  return [found, later]
}

async function sendRest(connection: HttpConnection, xAuth: string, left: Iterable<string>): Promise<void> {
  for (const pan of left) await send(connection, xAuth, pan)
}

async function send(connection: HttpConnection, xAuth: string, pan: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.create', params: { card: { number: pan, expire: '0399' } } })
  const reply = await connection.post('/api/cards.create', xAuth, body)
  if (!reply.body.includes('"result":')) throw new Error(`cards.create returned ${reply.body.slice(0, 200)}`)
}

function scanStill({ pid }: RunningService, sent: ReadonlySet<string>): number {
  process.kill(pid, 'SIGSTOP')
  try {
    return scanMemory(pid, sent).size
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

const connectionCount = 16
