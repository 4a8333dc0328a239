import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { root, startService, type RunningService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'
import { loadTargetOf, measureSpeed } from './compare.ts'
import { readCpuMs, readCpuMsWhenIdle } from './cpu.ts'
import { measureOfRounds } from './interval.ts'
import { startLoadGenerator } from './load.ts'
import type { Bench, Measure } from './measurement.ts'
import { analyzeTables, readPostgresUsage } from './postgres-usage.ts'

export interface PaymentComparison {
  readonly store: StoreKind
  readonly network: 'instant' | 'sandbox'
  /** The other checkout. */
  readonly against: string
}

/** Measures payments of the services of two checkouts in one run, in turns. */
export async function comparePayments(bench: PaymentBench, { store, network, against }: PaymentComparison): Promise<Measure[]> {
  const start = (folder: string) => (data: ServiceData) => startCheckout(folder, data, network)
  const pair = { store, own: start(root), other: start(against), isCreateMeasured: false }
  return toMeasures(`pay ${store}, ${network} network`, await measurePaymentPair(bench, pair))
}

export interface PaymentPair {
  readonly store: StoreKind
  readonly own: (data: ServiceData) => Promise<RunningService>
  readonly other: (data: ServiceData) => Promise<RunningService>
  /** Whether the receipts are created within what is measured. */
  readonly isCreateMeasured: boolean
  readonly rounds?: number
  /** In a round. What a service does without requests until it counts as idle is shared by them: some 17 ms of CPU time. */
  readonly requests?: number
}

type PaymentBench = Pick<Bench, 'dataFactory' | 'isQuick' | 'say'>

/**
 * Measures payments of two programs in turns. CPU time is that of the program and of PostgreSQL until the program has written its request log and is idle
 * again.
 */
export async function measurePaymentPair(
  { dataFactory, isQuick, say }: PaymentBench,
  { store, own, other, isCreateMeasured, rounds = isQuick ? 5 : 12, requests = isQuick ? 1200 : 2000 }: PaymentPair,
): Promise<Readonly<Record<Contender, PaymentCost>>[]> {
  const data = { own: await dataFactory.create(store), other: await dataFactory.create(store) }
  const running = { own: await own(data.own), other: await other(data.other) }
  const load = startLoadGenerator()
  const prepare = (contender: Contender, receipts: number) =>
    load.run({ order: 'prepareReceipts', target: loadTargetOf(running[contender], 'pay'), receipts })
  try {
    for (const contender of contenders) {
      // More than are paid, since one that is refused is not paid again.
      await prepare(contender, (isCreateMeasured ? warmUpRounds : rounds + warmUpRounds) * requests * 1.5)
      const { databaseUrl } = data[contender]
      if (databaseUrl !== null) await analyzeTables(databaseUrl)
    }
    const payOnce = async (contender: Contender, count: number, isCreating: boolean): Promise<PaymentCost> => {
      const { pid } = running[contender]
      const { databaseUrl } = data[contender]
      const usage = () => (databaseUrl === null ? null : readPostgresUsage(databaseUrl))
      const cpuBefore = readCpuMs(pid)
      const before = await usage()
      const createMs = isCreating ? (await prepare(contender, count)).ms : 0
      const speed = await measureSpeed(running[contender], load, { ...round, requests: count })
      const serviceMs = (await readCpuMsWhenIdle(pid)) - cpuBefore
      const after = await usage()
      const perPayment = (used: number): number => used / speed.requests
      return {
        perSecond: speed.requests / (createMs / 1000 + speed.requests / speed.requestsPerSecond),
        service: perPayment(serviceMs * 1000),
        postgres: before === null || after === null ? 0 : perPayment((after.cpuMs - before.cpuMs) * 1000),
        syncs: before === null || after === null ? 0 : perPayment(after.walSyncs - before.walSyncs),
      }
    }
    for (const contender of contenders) await payOnce(contender, requests * warmUpRounds, false)
    const measured: Record<Contender, PaymentCost>[] = []
    for (let round = 0; round < rounds; round++) {
      const costs: Partial<Record<Contender, PaymentCost>> = {}
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
        costs[contender] = await payOnce(contender, requests, isCreateMeasured)
      measured.push(costs as Record<Contender, PaymentCost>)
      say(`pay ${store}: round ${round + 1} of ${rounds}`)
    }
    return measured
  } finally {
    await load.stop()
    for (const contender of contenders) {
      await running[contender].stop()
      await data[contender].remove()
    }
  }
}

const contenders = ['other', 'own'] as const
type Contender = (typeof contenders)[number]

export interface PaymentCost {
  readonly perSecond: number
  /** CPU time of a payment, in microseconds. */
  readonly service: number
  readonly postgres: number
  readonly syncs: number
}

async function startCheckout(folder: string, data: ServiceData, network: PaymentComparison['network']): Promise<RunningService> {
  const imports = network === 'instant' ? [await findInstantNetwork(folder)] : []
  return startService({ flags: data.flags, folder, imports, logFile: join(data.folder, 'log') })
}

/** What plants the network that approves at once in a checkout. It was a module of its own once. */
async function findInstantNetwork(folder: string): Promise<URL> {
  const former = join(folder, 'bench/doubles/instant-network.ts')
  if (existsSync(former)) return pathToFileURL(former)
  const planted = (await import(pathToFileURL(join(folder, 'fault/planted-faults.ts')).href)) as {
    readonly plantedFaults: { readonly instantNetwork: URL }
  }
  return planted.plantedFaults.instantNetwork
}

function toMeasures(of: string, rounds: readonly Readonly<Record<Contender, PaymentCost>>[]): Measure[] {
  return costs.flatMap(({ name, member, unit }) => {
    const middle = (read: (round: Record<Contender, PaymentCost>) => number): number => median(rounds.map(read))
    const own = middle((round) => round.own[member])
    if (own === 0) return []
    return [
      { of, name, value: own, unit },
      { of, name: `${name}, other`, value: middle((round) => round.other[member]), unit },
      measureOfRounds(
        rounds.map((round) => round.own[member] / round.other[member]),
        { of, name: `${name}, ratio`, unit: 'of the other' },
      ),
    ]
  })
}

const costs = [
  { name: 'payments', member: 'perSecond', unit: 'per second' },
  { name: 'CPU of the service', member: 'service', unit: 'µs per payment' },
  { name: 'CPU of PostgreSQL', member: 'postgres', unit: 'µs per payment' },
  { name: 'syncs of its log', member: 'syncs', unit: 'per payment' },
] as const

/** As many as a service does not refuse on a machine that is busy with other work. */
const round = { method: 'pay', connections: 32, roundMs: 120_000, repeatsRefused: true } as const
const warmUpRounds = 2
