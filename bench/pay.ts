import { join } from 'node:path'
import { plantedFaults } from '../fault/planted-faults.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { startService } from '../fault/spawn.ts'
import { loadTargetOf, measureSpeed, type Speed } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { comparePayments } from './pay-against.ts'
import { comparePaymentsWithFloor } from './pay-share.ts'
import { floorMeasures, measurePaymentFloor } from './pay-floor.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** How many payments a second one service makes. */
export const payRate: Measurement = {
  name: 'pay',
  question:
    'How many receipts.pay per second, how long do they take, how much of it is the writers, and what share of its floor does a receipt reach?',
  async run(bench) {
    const measures: Measure[] = []
    const { against } = bench
    if (against !== null) {
      for (const store of bench.stores) {
        for (const network of ['instant', 'sandbox'] as const) measures.push(...(await comparePayments(bench, { store, network, against })))
      }
      return measures
    }
    for (const store of bench.stores) {
      for (const setup of setups.filter((each) => each.store === store)) {
        const found = await payWith(bench, setup)
        const of = nameOf(setup)
        bench.say(`${of}: ${Math.round(found.requestsPerSecond)} per second, p99 ${Math.round(found.p99Ms)} ms`)
        measures.push(...listMeasures(of, found), ...found.floor)
      }
      measures.push(...(await comparePaymentsWithFloor(bench, store)))
    }
    return measures
  },
}

interface PaySetup {
  readonly store: StoreKind
  /** Of PostgreSQL; null: the default, or SQLite, which has one. */
  readonly writers: number | null
  /** The sandbox's network keeps a ledger in the database of the service. The other one approves at once. */
  readonly network: 'instant' | 'sandbox'
}

interface PaySpeed extends Speed {
  /** Null on SQLite. */
  readonly postgres: { readonly cpuMicroseconds: number; readonly syncs: number } | null
  /** What the two commits cost without the service; of PostgreSQL with the default number of writers. */
  readonly floor: readonly Measure[]
}

function nameOf({ store, writers, network }: PaySetup): string {
  const suffix = network === 'sandbox' ? ', ledger of the sandbox' : ''
  return writers === null ? `pay ${store}${suffix}` : `pay ${store}, ${writers} writers${suffix}`
}

function listMeasures(of: string, { requestsPerSecond, p50Ms, p99Ms, cpuMicroseconds, postgres }: PaySpeed): Measure[] {
  return [
    { of, name: 'payments', value: requestsPerSecond, unit: 'per second' },
    { of, name: 'p50', value: p50Ms, unit: 'ms' },
    { of, name: 'p99', value: p99Ms, unit: 'ms' },
    { of, name: 'CPU of the service', value: cpuMicroseconds, unit: 'µs per payment' },
    ...(postgres === null
      ? []
      : [
          { of, name: 'CPU of PostgreSQL', value: postgres.cpuMicroseconds, unit: 'µs per payment' },
          { of, name: 'syncs of its log', value: postgres.syncs, unit: 'per payment' },
        ]),
  ]
}

async function payWith({ dataFactory, isQuick }: Bench, { store, writers, network }: PaySetup): Promise<PaySpeed> {
  const serviceData = await dataFactory.create(store)
  const flags = writers === null ? [] : [`--database-writers=${writers}`]
  const imports = network === 'instant' ? [plantedFaults.instantNetwork] : []
  const running = await startService({ flags: [...serviceData.flags, ...flags], imports, logFile: join(serviceData.folder, 'log') })
  const load = startLoadGenerator()
  const readUsage = () => (serviceData.databaseUrl === null ? null : readPostgresUsage(serviceData.databaseUrl))
  try {
    const receipts = isQuick ? 4000 : 24_000
    await load.run({ order: 'prepareReceipts', target: loadTargetOf(running, 'pay'), receipts })
    const round = { method: 'pay', connections } as const
    await measureSpeed(running, load, { ...round, roundMs: isQuick ? 1000 : 3000 })
    const before = await readUsage()
    const speed = await measureSpeed(running, load, { ...round, roundMs: isQuick ? 3000 : 10_000 })
    const after = await readUsage()
    if (before === null || after === null || serviceData.databaseUrl === null) return { ...speed, postgres: null, floor: [] }
    const cpuMicroseconds = ((after.cpuMs - before.cpuMs) / speed.requests) * 1000
    await running.stop()
    const floor = writers === null ? await measureFloors(serviceData.databaseUrl, isQuick) : []
    return { ...speed, postgres: { cpuMicroseconds, syncs: (after.walSyncs - before.walSyncs) / speed.requests }, floor }
  } finally {
    await load.stop()
    await running.stop()
    await serviceData.remove()
  }
}

async function measureFloors(databaseUrl: string, isQuick: boolean): Promise<Measure[]> {
  const floors: Measure[] = []
  for (const group of [1, 8, 32]) {
    const floor = await measurePaymentFloor(databaseUrl, { group, count: isQuick ? 2048 : 16_384 })
    floors.push(...floorMeasures(group, floor))
  }
  return floors
}

const setups: readonly PaySetup[] = [
  { store: 'sqlite', writers: null, network: 'instant' },
  { store: 'sqlite', writers: null, network: 'sandbox' },
  ...[1, 2, 4, 8, 16].map((writers) => ({ store: 'postgres', writers, network: 'instant' }) as const),
  { store: 'postgres', writers: null, network: 'sandbox' },
]
const connections = 64
