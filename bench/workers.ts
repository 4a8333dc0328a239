import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'

import { loadTargetOf, measureWholeCycle } from './compare.ts'
import { readCpuMsWhenIdle } from './cpu.ts'
import { measureOfRounds } from './interval.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement, MeasureTarget } from './measurement.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** One worker and two, in turns. */
export const workers: Measurement = {
  name: 'workers',
  question: 'How much faster are cards.check and cards.create with two workers than with one, and what does a cards.create cost?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureWorkers(bench, store)))
    return measures
  },
}

const contenders = ['one', 'two'] as const
type Contender = (typeof contenders)[number]

/** What one round has measured of one contender. */
interface Round {
  readonly checksPerSecond: number
  readonly checkCpu: number
  readonly checkP99Ms: number
  /** At a fixed rate: CPU of the service and of PostgreSQL, µs a call. */
  readonly createCpu: number
  readonly createDatabaseCpu: number
  readonly createP99Ms: number
  /** At half of that rate, of one worker: what fewer calls in a turn of the event loop cost, whatever the number of threads. */
  readonly halfRateCpu: number
  /** Of those, how many were refused, since the machine is too slow or busy: then the values of this rate say little. */
  readonly refusedPercent: number
  /** At saturation; NaN on a machine where the load, the workers and the thread that commits share too few processors. */
  readonly createsPerSecond: number
}

async function measureWorkers({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const [rounds, roundMs] = isQuick ? [3, 1500] : [9, 4000]
  const canSaturate = availableParallelism() >= saturationProcessors
  if (!canSaturate) say(`workers ${store}: creates at saturation need ${saturationProcessors} processors, and are left out`)
  const data: Record<Contender, ServiceData> = { one: await dataFactory.create(store), two: await dataFactory.create(store) }
  const running = { one: await start(data.one, 1), two: await start(data.two, 2) }
  const load = startLoadGenerator()
  try {
    const measureRound = async (contender: Contender, ms: number): Promise<Round> => {
      const service = running[contender]
      const check = await measureWholeCycle(service, load, { method: 'check', connections, roundMs: ms })
      const create = await measureCreatesAtRate(service, data[contender], { load, perSecond: createsPerSecond, ms })
      // The control: as many as each of two workers has. A round is twice as long, so that it has as many calls.
      const half = { load, perSecond: createsPerSecond / 2, ms: ms * 2 }
      const control = contender === 'one' ? await measureCreatesAtRate(service, data.one, half) : null
      const saturated = canSaturate ? await measureWholeCycle(service, load, { method: 'create', connections, roundMs: ms }) : null
      return {
        checksPerSecond: check.requestsPerSecond,
        checkCpu: check.cpuMicroseconds,
        checkP99Ms: check.p99Ms,
        ...create,
        halfRateCpu: control?.createCpu ?? NaN,
        createsPerSecond: saturated?.requestsPerSecond ?? NaN,
      }
    }
    for (const contender of contenders) {
      await warmUp(running[contender], load)
      await load.run({ order: 'prepare', target: loadTargetOf(running[contender], 'create'), cards: isQuick ? 1000 : 5000 })
      await measureRound(contender, roundMs)
    }
    const pairs: Record<Contender, Round>[] = []
    for (let round = 0; round < rounds; round++) {
      const pair: Partial<Record<Contender, Round>> = {}
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
        pair[contender] = await measureRound(contender, roundMs)
      pairs.push(pair as Record<Contender, Round>)
      say(`workers ${store}: round ${round + 1} of ${rounds}`)
    }
    return toMeasures(`workers ${store}`, pairs, canSaturate)
  } finally {
    await load.stop()
    for (const contender of contenders) {
      await running[contender].stop()
      await data[contender].remove()
    }
  }
}

function start(data: ServiceData, count: number): Promise<RunningService> {
  return startService({ flags: [...data.flags, `--workers=${count}`, '--log-level=warn'], logFile: join(data.folder, 'log') })
}

/**
 * V8 compiles the code of each thread for itself, and so two threads at half of the rate each take twice the time to become fast, and twice the work. Both services
 * create as many cards beforehand, so that their tables have equal sizes.
 */
async function warmUp(service: RunningService, load: LoadGenerator): Promise<void> {
  const target = loadTargetOf(service, 'create')
  await load.run({ order: 'run', target, method: 'create', connections, requests: warmUpCreates, repeatsRefused: true })
}

/** Calls are sent at their time, whatever became of those before, each on a connection that is free. */
async function measureCreatesAtRate(
  service: RunningService,
  { databaseUrl }: ServiceData,
  { load, perSecond, ms }: { readonly load: LoadGenerator; readonly perSecond: number; readonly ms: number },
): Promise<Pick<Round, 'createCpu' | 'createDatabaseCpu' | 'createP99Ms' | 'refusedPercent'>> {
  const readDatabase = async (): Promise<number> => (databaseUrl === null ? 0 : (await readPostgresUsage(databaseUrl)).cpuMs)
  const cpuBefore = await readCpuMsWhenIdle(service.pid)
  const databaseBefore = await readDatabase()
  const target = loadTargetOf(service, 'create')
  const result = await load.run({ order: 'rate', target, method: 'create', connections, perSecond, ms })
  const cpuMs = (await readCpuMsWhenIdle(service.pid)) - cpuBefore
  const databaseMs = (await readDatabase()) - databaseBefore
  const perCall = (used: number): number => (used * 1000) / result.requests
  return {
    createCpu: perCall(cpuMs),
    createDatabaseCpu: perCall(databaseMs),
    createP99Ms: result.p99Ms,
    refusedPercent: (result.failed / result.requests) * 100,
  }
}

function toMeasures(of: string, pairs: readonly Readonly<Record<Contender, Round>>[], hasSaturated: boolean): Measure[] {
  const ratio = (name: string, read: (round: Round) => number, target?: MeasureTarget): Measure =>
    measureOfRounds(
      pairs.map(({ one, two }) => read(two) / read(one)),
      { of, name, unit: 'of one worker', ...(target === undefined ? {} : { target }) },
    )
  const of1 = (read: (round: Round) => number): number => median(pairs.map(({ one }) => read(one)))
  const of2 = (read: (round: Round) => number): number => median(pairs.map(({ two }) => read(two)))
  const atRate = `cards.create at ${createsPerSecond} a second`
  const createCost = ({ createCpu, createDatabaseCpu }: Round): number => createCpu + createDatabaseCpu
  const refused = pairs.flatMap(({ one, two }) => [one.refusedPercent, two.refusedPercent])
  const saturated: Measure[] = [
    ratio('cards.create, throughput', (round) => round.createsPerSecond),
    { of, name: 'cards.create', value: of2((round) => round.createsPerSecond), unit: '/s' },
  ]
  return [
    ratio('cards.check, throughput', (round) => round.checksPerSecond, { least: 1.5 }),
    ratio('cards.check, CPU', (round) => round.checkCpu),
    ratio(`${atRate}, CPU`, (round) => round.createCpu, { most: 1.15 }),
    ratio(`${atRate}, CPU with PostgreSQL`, createCost),
    measureOfRounds(
      pairs.map(({ one }) => one.halfRateCpu / one.createCpu),
      { of, name: `cards.create at ${createsPerSecond / 2} a second, CPU, one worker`, unit: `of ${createsPerSecond} a second` },
    ),
    { of, name: `${atRate}, refused`, value: Math.max(...refused), unit: '%', target: { most: 0 } },
    ...(hasSaturated ? saturated : []),
    { of, name: 'cards.check, one worker', value: of1((round) => round.checksPerSecond), unit: '/s' },
    { of, name: 'cards.check, two workers', value: of2((round) => round.checksPerSecond), unit: '/s' },
    { of, name: 'cards.check, p99, one worker', value: of1((round) => round.checkP99Ms), unit: 'ms' },
    { of, name: 'cards.check, p99, two workers', value: of2((round) => round.checkP99Ms), unit: 'ms' },
    { of, name: `${atRate}, CPU, one worker`, value: of1((round) => round.createCpu), unit: 'µs' },
    { of, name: `${atRate}, CPU, two workers`, value: of2((round) => round.createCpu), unit: 'µs' },
    { of, name: `${atRate}, p99, one worker`, value: of1((round) => round.createP99Ms), unit: 'ms' },
    { of, name: `${atRate}, p99, two workers`, value: of2((round) => round.createP99Ms), unit: 'ms' },
  ]
}

/** Each waits for its reply before the next request. */
const connections = 64
const createsPerSecond = 1500
/** 30,000 for each of two threads: by then those in which V8 compiles have become idle (decision 140). */
const warmUpCreates = 60_000
/** Two workers, the thread that commits or PostgreSQL, and the load. */
const saturationProcessors = 4
