import { join } from 'node:path'

import { openApiClient } from '../fault/api-client.ts'
import { longLifetimes } from '../fault/inspect.ts'
import { makeSavedTokens } from '../fault/payment-load.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { countCards } from '../fault/statement.ts'
import { startService, type RunningService } from '../fault/spawn.ts'

import { readCpuMsWhenIdle } from './cpu.ts'
import { loadTargetOf, measureSpeed } from './compare.ts'
import { fillCards } from '../fault/fill-cards.ts'
import { measureStorage, readDatabaseBytes, type StorageCost, toStorageMeasures } from './growth-storage.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** The same calls with ever more cards in the store. Each size is measured on a service that was just started. */
export const growth: Measurement = {
  name: 'growth',
  question: 'What do calls, a start, audit verify and a backup cost with 10,000, 100,000 and a million cards, and how large is the store?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureGrowth(bench, store)))
    return measures
  },
}

async function measureGrowth({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const flags = [...serviceData.flags, ...longLifetimes, '--log-level=warn']
  const measures: Measure[] = []
  const first = new Map<string, number>()
  let firstStorage: StorageCost | null = null
  try {
    await (await startService({ flags })).stop()
    const emptyBytes = await readDatabaseBytes(serviceData)
    for (const size of isQuick ? quickSizes : sizes) {
      const of = `${store}, ${String(size)} cards`
      const missing = size - (await countCards(serviceData))
      const perSecond = await fillCards(serviceData, {
        count: missing,
        flags: longLifetimes,
        say: (text) => say(`growth ${store}: ${text}`),
      })
      measures.push({ of: `filling ${of}`, name: 'speed', value: perSecond, unit: 'cards a second' })
      const stored = await countCards(serviceData)
      if (stored < size) throw new Error(`there are ${String(stored)} cards in the store, not ${String(size)}`)
      const storage = await measureStorage(serviceData, flags, emptyBytes)
      firstStorage ??= storage
      measures.push(...toStorageMeasures(`store ${of}`, storage, firstStorage))
      const running = await startService({ flags, logFile: join(serviceData.folder, 'log') })
      const load = startLoadGenerator()
      try {
        const tokens = await makeSavedTokens(running, 4)
        for (const { name, cost } of await measureCalls(running, load, { tokens, calls: isQuick ? 1000 : 4000 })) {
          const ofCall = `${name} ${of}`
          const before = first.get(name) ?? cost.cpuMicroseconds
          first.set(name, before)
          measures.push(
            { of: ofCall, name: 'p99', value: cost.p99Ms, unit: 'ms' },
            { of: ofCall, name: 'CPU per call', value: cost.cpuMicroseconds, unit: 'µs' },
            {
              of: ofCall,
              name: 'CPU per call, compared',
              value: cost.cpuMicroseconds / before,
              unit: 'of the smallest',
              target: { most: maxCpuRatio },
            },
          )
        }
      } finally {
        await load.stop()
        await running.stop()
      }
      say(`growth ${store}: measured with ${String(size)} cards`)
    }
    return measures
  } finally {
    await serviceData.remove()
  }
}

interface CallCost {
  readonly p99Ms: number
  /** Of the service, with what it does after the reply. */
  readonly cpuMicroseconds: number
}

interface MeasuredCall {
  readonly name: string
  readonly cost: CallCost
}

async function measureCalls(
  running: RunningService,
  load: LoadGenerator,
  { tokens, calls }: { readonly tokens: readonly string[]; readonly calls: number },
): Promise<MeasuredCall[]> {
  const call = (method: 'create' | 'check') => () =>
    measureSpeed(running, load, { method, connections: 8, roundMs: 120_000, requests: calls })
  // So that `check` asks for cards among all of them.
  await load.run({ order: 'prepare', target: loadTargetOf(running, 'create'), cards: 500 })
  return [
    { name: 'create', cost: await withCpu(running, calls, call('create')) },
    { name: 'check', cost: await withCpu(running, calls, call('check')) },
    { name: 'pay', cost: await withCpu(running, calls / 8, () => pay(running, tokens, calls / 8)) },
  ]
}

async function withCpu(running: RunningService, calls: number, run: () => Promise<{ readonly p99Ms: number }>): Promise<CallCost> {
  const before = await readCpuMsWhenIdle(running.pid)
  const { p99Ms } = await run()
  return { p99Ms, cpuMicroseconds: (((await readCpuMsWhenIdle(running.pid)) - before) * 1000) / calls }
}

/** A payment is the creation of a receipt and its payment; the time is that of `receipts.pay`. */
async function pay(running: RunningService, tokens: readonly string[], payments: number): Promise<{ readonly p99Ms: number }> {
  const times: number[] = []
  let left = payments
  const payNext = async (token: string): Promise<void> => {
    const client = await openApiClient(running)
    while (left-- > 0) {
      const created = await client.call('receipts.create', { amount: 10_000, account: { order: 'a' } })
      const { _id: id } = (created.kind === 'result' ? created.result['receipt'] : {}) as { readonly _id?: string }
      const sentAt = performance.now()
      const paid = await client.call('receipts.pay', { id, token })
      if (paid.kind !== 'result') throw new Error(`a payment was refused: ${JSON.stringify(paid)}`)
      times.push(performance.now() - sentAt)
    }
    client.close()
  }
  await Promise.all(tokens.map(payNext))
  times.sort((one, other) => one - other)
  return { p99Ms: times[Math.floor(times.length * 0.99)] ?? NaN }
}

const largest = Number(process.env['BENCH_GROWTH_CARDS'] ?? 1_000_000)
const sizes: readonly number[] = [...[10_000, 100_000].filter((size) => size < largest), largest]
const quickSizes: readonly number[] = [2000, 10_000]
/** With more cards in an index there are more levels of its tree; a scan would show as tenfold. */
const maxCpuRatio = 1.5
