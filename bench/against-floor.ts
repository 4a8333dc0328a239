import { compareWithFloor, type Compared } from './compare.ts'
import type { LoadMethod } from './load-words.ts'
import type { Figure, Measurement } from './measurement.ts'

/** cards.create beside a durable insert of an equal row. */
export const create: Measurement = {
  name: 'create',
  question: 'What share of the floor (node:http, JSON.parse, one durable insert) does cards.create reach?',
  run: (bench) => measure('create', bench),
}

/** cards.check beside one point read. */
export const check: Measurement = {
  name: 'check',
  question: 'What share of the floor (node:http, JSON.parse, one point read) does cards.check reach?',
  run: (bench) => measure('check', bench),
}

async function measure(method: LoadMethod, { homes, stores, isQuick, say }: Parameters<Measurement['run']>[0]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    const [rounds, roundMs] = isQuick ? [3, 1000] : [7, 3000]
    figures.push(...tell(await compareWithFloor({ method, store, homes, connections, cards: 5000, rounds, roundMs, say })))
  }
  return figures
}

function tell({ method, store, tessera, floor, throughputShare, cpuShare }: Compared): Figure[] {
  const of = `${method} ${store}`
  const aim = { least: method === 'create' ? 0.6 : 0.75 }
  return [
    { of, name: 'throughput', value: throughputShare, unit: 'of the floor', aim },
    { of, name: 'CPU', value: cpuShare, unit: 'of ours is the floor', aim },
    { of, name: 'CPU a request', value: tessera.cpuMicroseconds, unit: 'µs' },
    { of, name: 'CPU a request, floor', value: floor.cpuMicroseconds, unit: 'µs' },
    { of, name: 'requests', value: tessera.requestsASecond, unit: '/s' },
    { of, name: 'requests, floor', value: floor.requestsASecond, unit: '/s' },
    { of, name: 'latency p50', value: tessera.p50Ms, unit: 'ms' },
    { of, name: 'latency p99', value: tessera.p99Ms, unit: 'ms' },
  ]
}

/** Each waits for its reply before it asks again. */
const connections = 64
