import { join } from 'node:path'

import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { largest, median } from '../fault/statistics.ts'

import { loadTargetOf, measureSpeed, startFloor } from './compare.ts'
import { readCpuMs, readCpuMsWhenIdle, readMainWaitMs } from './cpu.ts'
import { measureOfRounds } from './interval.ts'
import type { LoadResult } from './load-messages.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** How long calls take at one offered rate, half of what the service can do, beside the floor at the same rate. */
export const latency: Measurement = {
  name: 'latency',
  question:
    'How long do cards.create and cards.check take at half of their peak, beside the floor at the same rate, from when each was due?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores)
      for (const method of ['create', 'check'] as const) measures.push(...(await measureLatency(bench, store, method)))
    return measures
  },
}

const contenders = ['floor', 'tessera'] as const
type Contender = (typeof contenders)[number]
type RatedMethod = 'create' | 'check'

interface RateResult extends LoadResult {
  /** Of the load before the round too, and until it is idle again, so with what it writes after its replies. */
  readonly cpuMicroseconds: number
  /** Percent of the round in which the thread that answers was ready to run but had no processor. */
  readonly waitedPercent: number
  /** The same of the load generator, whose wait is a part of every duration. */
  readonly loadWaitedPercent: number
}

async function measureLatency({ dataFactory, isQuick, say }: Bench, store: StoreKind, method: RatedMethod): Promise<Measure[]> {
  const [rounds, ms] = isQuick ? [7, 2000] : [9, 10_000]
  const data: Record<Contender, ServiceData> = { floor: await dataFactory.create(store), tessera: await dataFactory.create(store) }
  const running: Record<Contender, RunningService> = {
    floor: await startFloor(data.floor),
    tessera: await startService({ flags: [...data.tessera.flags, '--log-level=warn'], logFile: join(data.tessera.folder, 'log') }),
  }
  const load = startLoadGenerator()
  try {
    for (const contender of contenders) {
      if (method === 'check') await load.run({ order: 'prepare', target: loadTargetOf(running[contender], 'create'), cards: 5000 })
      await measureSpeed(running[contender], load, { method, connections, roundMs: ms })
    }
    const { requestsPerSecond } = await measureSpeed(running.tessera, load, { method, connections, roundMs: ms })
    const perSecond = Math.floor(requestsPerSecond / 2)
    say(`latency ${method} ${store}: ${requestsPerSecond.toFixed(0)} a second at most, so ${String(perSecond)}`)
    const pairs: Record<Contender, RateResult>[] = []
    for (let round = 0; round < rounds; round++) {
      const pair: Partial<Record<Contender, RateResult>> = {}
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
        pair[contender] = await runAtRate(running[contender], load, { method, perSecond, ms })
      pairs.push(pair as Record<Contender, RateResult>)
      say(`latency ${method} ${store}: round ${String(round + 1)} of ${String(rounds)}`)
    }
    return toMeasures(`latency ${method} ${store}`, perSecond, pairs)
  } finally {
    await load.stop()
    for (const contender of contenders) {
      await running[contender].stop()
      await data[contender].remove()
    }
  }
}

async function runAtRate(
  running: RunningService,
  load: LoadGenerator,
  { method, perSecond, ms }: { readonly method: RatedMethod; readonly perSecond: number; readonly ms: number },
): Promise<RateResult> {
  const order = { order: 'rate', target: loadTargetOf(running, method), method, connections, perSecond } as const
  const cpuBefore = readCpuMs(running.pid)
  const leadIn = await load.run({ ...order, ms: leadInMs })
  const [waitBefore, loadWaitBefore] = [readMainWaitMs(running.pid), readMainWaitMs(load.pid)]
  const result = await load.run({ ...order, ms })
  const percentOf = (waitedMs: number): number => (waitedMs / result.ms) * 100
  const waitedPercent = percentOf(readMainWaitMs(running.pid) - waitBefore)
  const loadWaitedPercent = percentOf(readMainWaitMs(load.pid) - loadWaitBefore)
  const cpuMs = (await readCpuMsWhenIdle(running.pid)) - cpuBefore
  return { ...result, cpuMicroseconds: (cpuMs / (leadIn.requests + result.requests)) * 1000, waitedPercent, loadWaitedPercent }
}

type MiddleMember = 'p50Ms' | 'p99Ms' | 'p999Ms' | 'cpuMicroseconds' | 'waitedPercent'

function toMeasures(of: string, perSecond: number, pairs: readonly Readonly<Record<Contender, RateResult>>[]): Measure[] {
  const middle = (contender: Contender, member: MiddleMember): number => median(pairs.map((pair) => pair[contender][member]))
  const lateMs = largest(pairs.flatMap(({ floor, tessera }) => [floor.sentLateMs ?? 0, tessera.sentLateMs ?? 0]))
  return [
    { of, name: 'offered', value: perSecond, unit: '/s' },
    measureOfRounds(
      pairs.map(({ floor, tessera }) => tessera.p99Ms / floor.p99Ms),
      { of, name: 'p99', unit: 'of the floor', target: { most: 2 } },
    ),
    ...percentiles.flatMap(({ name, member }) => [
      { of, name, value: middle('tessera', member), unit: 'ms' },
      { of, name: `${name}, floor`, value: middle('floor', member), unit: 'ms' },
    ]),
    { of, name: 'CPU per request', value: middle('tessera', 'cpuMicroseconds'), unit: 'µs' },
    { of, name: 'CPU per request, floor', value: middle('floor', 'cpuMicroseconds'), unit: 'µs' },
    { of, name: 'waited for a processor', value: middle('tessera', 'waitedPercent'), unit: '% of the time' },
    { of, name: 'waited for a processor, floor', value: middle('floor', 'waitedPercent'), unit: '% of the time' },
    {
      of,
      name: 'waited for a processor, load generator',
      value: median(pairs.flatMap(({ floor, tessera }) => [floor.loadWaitedPercent, tessera.loadWaitedPercent])),
      unit: '% of the time',
    },
    { of, name: 'the load generator, late at most', value: lateMs, unit: 'ms' },
  ]
}

const percentiles = [
  { name: 'p50', member: 'p50Ms' },
  { name: 'p99', member: 'p99Ms' },
  { name: 'p99.9', member: 'p999Ms' },
] as const
const connections = 64
/**
 * How long the same load runs right before each round. While the other program has its turn, this one is idle for seconds: V8 makes its young generation small,
 * and runs several major collections until it is large again (decision 141).
 */
const leadInMs = 2000
