import { compareWithCheckout } from './against-checkout.ts'
import { compareWithFloor, type ComparisonResult } from './compare.ts'
import { measureOfRounds } from './interval.ts'
import type { LoadMethod } from './load-messages.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** cards.create compared with a durable insert of an equal row. */
export const create: Measurement = {
  name: 'create',
  question: 'What share of the floor (node:http, JSON.parse, one durable insert) does cards.create reach?',
  run: (bench) => measure('create', bench),
}

/** cards.check compared with one point read. */
export const check: Measurement = {
  name: 'check',
  question: 'What share of the floor (node:http, JSON.parse, one point read) does cards.check reach?',
  run: (bench) => measure('check', bench),
}

async function measure(method: LoadMethod, { dataFactory, stores, isQuick, against, say }: Bench): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const store of stores) {
    const comparison = { method, store, dataFactory, connections, cards: 5000, say }
    if (against === null) {
      const [rounds, roundMs] = isQuick ? [3, 1000] : [7, 3000]
      measures.push(...toMeasures(await compareWithFloor({ ...comparison, rounds, roundMs })))
    } else {
      const [rounds, requests] = isQuick ? [6, 2500] : [12, 8000]
      measures.push(...(await compareWithCheckout({ ...comparison, folder: against, rounds, requests })))
    }
  }
  return measures
}

function toMeasures({ method, store, tessera, floor, throughputShares, cpuShares }: ComparisonResult): Measure[] {
  const of = `${method} ${store}`
  const target = { least: method === 'create' ? 0.6 : 0.75 }
  return [
    measureOfRounds(throughputShares, { of, name: 'throughput', unit: 'of the floor', target }),
    measureOfRounds(cpuShares, { of, name: 'CPU', unit: 'floor to service', target }),
    { of, name: 'CPU per request', value: tessera.cpuMicroseconds, unit: 'µs' },
    { of, name: 'CPU per request, floor', value: floor.cpuMicroseconds, unit: 'µs' },
    { of, name: 'requests', value: tessera.requestsPerSecond, unit: '/s' },
    { of, name: 'requests, floor', value: floor.requestsPerSecond, unit: '/s' },
    { of, name: 'latency p50', value: tessera.p50Ms, unit: 'ms' },
    { of, name: 'latency p99', value: tessera.p99Ms, unit: 'ms' },
  ]
}

/** Each waits for its reply before the next request. */
const connections = 64
