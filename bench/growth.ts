import { join } from 'node:path'

import { openApiClient } from '../fault/api-client.ts'
import { longLifetimes } from '../fault/inspect.ts'
import { makeSavedTokens } from '../fault/payment-load.ts'
import { makeRandom } from '../fault/random.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { countCards } from '../fault/statement.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { percentile } from '../fault/statistics.ts'

import { readCpuMsWhenIdle } from './cpu.ts'
import { loadTargetOf, measureSpeed } from './compare.ts'
import { fillCards } from '../fault/fill-cards.ts'
import { measureLists, payerOfCard } from './growth-lists.ts'
import { measureSweepAmong } from './growth-sweep.ts'
import { measureStorage, readDatabaseBytes, type StorageCost, toStorageMeasures } from './growth-storage.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { formatValue } from './table.ts'

/** The same calls with ever more cards in the store. Each size is measured on a service that was just started. */
export const growth: Measurement = {
  name: 'growth',
  question:
    'What do calls, lists, the sweeper, a start, audit verify and a backup cost with 10,000, 100,000 and a million cards, and how large is the store?',
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
  /** Prints each value at once: a fill of ten million cards takes an hour, and may be stopped. */
  const add = (...made: readonly Measure[]): void => {
    for (const { of, name, value, unit } of made) say(`${of}: ${name} ${formatValue(value)} ${unit}`)
    measures.push(...made)
  }
  const first = new Map<string, number>()
  let firstStorage: StorageCost | null = null
  let filled = 0
  let tokens: string[] = []
  try {
    await (await startService({ flags })).stop()
    const emptyBytes = await readDatabaseBytes(serviceData)
    for (const size of isQuick ? quickSizes : sizes) {
      const of = `${store}, ${String(size)} cards`
      // So that the cards that are checked later are drawn from all of them alike.
      const every = Math.ceil(size / checkedCards)
      tokens = tokens.filter((_token, n) => n % Math.ceil(size / Math.max(filled, 1)) === 0)
      const before = filled
      const perSecond = await fillCards(serviceData, {
        count: size - filled,
        flags: longLifetimes,
        say: (text) => say(`growth ${store}: ${text}`),
        customerOf: (n) => payerOfCard(before + n),
        onCard: (token, n) => n % every === 0 && tokens.push(token),
      })
      filled = size
      add({ of: `filling ${of}`, name: 'speed', value: perSecond, unit: 'cards a second' })
      const bytes = (await readDatabaseBytes(serviceData)) - emptyBytes
      let bytesPerCard = NaN
      const running = await startService({ flags, logFile: join(serviceData.folder, 'log'), maxStartSeconds })
      const load = startLoadGenerator()
      try {
        // While the service runs: a look at the files of a stopped one leaves a log beside them, and the next start would read ten gigabytes in full.
        const stored = await countCards(serviceData)
        if (stored < size) throw new Error(`there are ${String(stored)} cards in the store, not ${String(size)}`)
        // Of all that there are: with those that the sweeper worked off at the sizes before.
        bytesPerCard = bytes / stored
        const paying = await makeSavedTokens(running, 4)
        for (const { name, cost } of await measureCalls(running, load, { paying, tokens, calls: isQuick ? 1000 : 4000 })) {
          const ofCall = `${name} ${of}`
          const before = first.get(name) ?? cost.cpuMicroseconds
          first.set(name, before)
          add(
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
        add(...(await measureLists(running, of, isQuick ? 10 : 25)))
      } finally {
        await load.stop()
        await running.stop()
      }
      add(...(await measureSweepAmong(serviceData, flags, of)))
      const storage = { bytesPerCard, ...(await measureStorage(serviceData, { flags, say: (text) => say(`store ${of}: ${text}`) })) }
      firstStorage ??= storage
      add(...toStorageMeasures(`store ${of}`, storage, firstStorage))
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
  { paying, tokens, calls }: { readonly paying: readonly string[]; readonly tokens: readonly string[]; readonly calls: number },
): Promise<MeasuredCall[]> {
  const call = (method: 'create' | 'check') => () =>
    measureSpeed(running, load, { method, connections: 8, roundMs: 120_000, requests: calls })
  await load.run({ order: 'prepare', target: loadTargetOf(running, 'create'), cards: 500 })
  return [
    { name: 'create', cost: await withCpu(running, calls, call('create')) },
    { name: 'check', cost: await withCpu(running, calls, call('check')) },
    { name: 'check of any card', cost: await withCpu(running, tokens.length, () => checkAll(running, tokens)) },
    { name: 'pay', cost: await withCpu(running, calls / 8, () => pay(running, paying, calls / 8)) },
  ]
}

async function withCpu(running: RunningService, calls: number, run: () => Promise<{ readonly p99Ms: number }>): Promise<CallCost> {
  const before = await readCpuMsWhenIdle(running.pid)
  const { p99Ms } = await run()
  return { p99Ms, cpuMicroseconds: (((await readCpuMsWhenIdle(running.pid)) - before) * 1000) / calls }
}

/** Each card once, in no order of the store: its page may not be in memory. */
async function checkAll(running: RunningService, tokens: readonly string[]): Promise<{ readonly p99Ms: number }> {
  const times: number[] = []
  const random = makeRandom(tokens.length)
  const left = tokens
    .map((token) => ({ token, order: random.between(0, 2 ** 30) }))
    .sort((one, other) => one.order - other.order)
    .values()
  const checkRest = async (): Promise<void> => {
    const client = await openApiClient(running)
    for (const { token } of left) {
      const sentAt = performance.now()
      const outcome = await client.check(token)
      if (outcome.kind !== 'result') throw new Error(`a check was refused: ${JSON.stringify(outcome)}`)
      times.push(performance.now() - sentAt)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: 8 }, checkRest))
  return { p99Ms: percentile(times, 0.99) }
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
  return { p99Ms: percentile(times, 0.99) }
}

const largest = Number(process.env['BENCH_GROWTH_CARDS'] ?? 1_000_000)
const sizes: readonly number[] = [...[10_000, 100_000, 1_000_000, 3_000_000].filter((size) => size < largest), largest]
const quickSizes: readonly number[] = [2000, 10_000]
/** With more cards in an index there are more levels of its tree; a scan would show as tenfold. */
const maxCpuRatio = 1.5
const checkedCards = 2000
/** The disk of a busy machine may be slow to open a file of ten gigabytes. */
const maxStartSeconds = 600
