import { join } from 'node:path'
import type { StoreKind } from '../fault/service-data.ts'
import { startService } from '../fault/spawn.ts'
import { loadTargetOf, measureSpeed, type Speed } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** How many payments a second one service makes. */
export const payRate: Measurement = {
  name: 'pay',
  question: 'How many receipts.pay per second, how long do they take, and how much of it is the writers?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) {
      for (const writers of store === 'sqlite' ? [null] : writerCounts) {
        const { requestsPerSecond, p50Ms, p99Ms, cpuMicroseconds } = await payWith(bench, store, writers)
        const of = writers === null ? `pay ${store}` : `pay ${store}, ${writers} writers`
        bench.say(`${of}: ${Math.round(requestsPerSecond)} per second, p99 ${Math.round(p99Ms)} ms`)
        measures.push({ of, name: 'payments', value: requestsPerSecond, unit: 'per second' })
        measures.push({ of, name: 'p50', value: p50Ms, unit: 'ms' }, { of, name: 'p99', value: p99Ms, unit: 'ms' })
        measures.push({ of, name: 'CPU of the service', value: cpuMicroseconds, unit: 'µs per payment' })
      }
    }
    return measures
  },
}

async function payWith({ dataFactory, isQuick }: Bench, store: StoreKind, writers: number | null): Promise<Speed> {
  const serviceData = await dataFactory.create(store)
  const flags = writers === null ? [] : [`--database-writers=${writers}`]
  const running = await startService({ flags: [...serviceData.flags, ...flags], logFile: join(serviceData.folder, 'log') })
  const load = startLoadGenerator()
  try {
    const receipts = isQuick ? 2000 : 12_000
    await load.run({ order: 'prepareReceipts', target: loadTargetOf(running, 'pay'), receipts })
    const round = { method: 'pay', connections } as const
    await measureSpeed(running, load, { ...round, roundMs: isQuick ? 1000 : 3000 })
    return await measureSpeed(running, load, { ...round, roundMs: isQuick ? 3000 : 10_000 })
  } finally {
    await load.stop()
    await running.stop()
    await serviceData.remove()
  }
}

const writerCounts = [1, 2, 4, 8, 16]
const connections = 64
