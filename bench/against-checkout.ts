import { join } from 'node:path'
import { startService, type RunningService } from '../fault/spawn.ts'
import { median } from '../fault/statistics.ts'
import { loadTargetOf, measureWholeCycle, startFloor, type ComparisonOptions, type Speed } from './compare.ts'
import { measureOfRounds } from './interval.ts'
import { startLoadGenerator } from './load.ts'
import type { Measure } from './measurement.ts'

export interface CheckoutComparisonOptions extends Omit<ComparisonOptions, 'roundMs'> {
  /** The other checkout. */
  readonly folder: string
  /** In a round. */
  readonly requests: number
}

/**
 * Measures the services of two checkouts and the floor in one run, alternating. CPU time is that of the whole cycle. A round has a number of requests instead of a duration, so that on a busy machine too each service has
 * run the same code equally often, and its background jobs are spread over as many requests.
 */
export async function compareWithCheckout(comparison: CheckoutComparisonOptions): Promise<Measure[]> {
  const { method, store, dataFactory, folder, rounds, requests, cards, connections } = comparison
  const data = { floor: await dataFactory.create(store), other: await dataFactory.create(store), own: await dataFactory.create(store) }
  const running: Record<Contender, RunningService> = {
    floor: await startFloor(data.floor),
    other: await startService({ flags: data.other.flags, folder, logFile: join(data.other.folder, 'log') }),
    own: await startService({ flags: data.own.flags, logFile: join(data.own.folder, 'log') }),
  }
  const load = startLoadGenerator()
  try {
    const measureOne = (contender: Contender, count: number): Promise<Speed> =>
      measureWholeCycle(running[contender], load, { method, connections, roundMs: maxRoundMs, requests: count })
    for (const contender of contenders) {
      if (method === 'check') await load.run({ order: 'prepare', target: loadTargetOf(running[contender], 'create'), cards })
      await measureOne(contender, requests * warmUpRounds)
    }
    const measured: Round[] = []
    for (let round = 0; round < rounds; round++) {
      const speeds: Partial<Record<Contender, Speed>> = {}
      // Whatever favours the first or the last of a round must not favour the same one every time.
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
        speeds[contender] = await measureOne(contender, requests)
      measured.push(speeds as Round)
      comparison.say(`${method} ${store}: round ${round + 1} of ${rounds}`)
    }
    return toMeasures(`${method} ${store}`, measured)
  } finally {
    await load.stop()
    for (const contender of contenders) {
      await running[contender].stop()
      await data[contender].remove()
    }
  }
}

const contenders = ['floor', 'other', 'own'] as const
type Contender = (typeof contenders)[number]
type Round = Readonly<Record<Contender, Speed>>

/** Four pairs of the same two checkouts gave 0.89 to 1.03 on a machine that was used by other work too, so a difference below a tenth cannot be distinguished from noise. */
const cpuRatioMost = 1.1
const warmUpRounds = 4
/** So that a service that stalls ends the run. */
const maxRoundMs = 120_000

function toMeasures(of: string, rounds: readonly Round[]): Measure[] {
  const middle = (read: (round: Round) => number): number => median(rounds.map(read))
  const cpuRatios = rounds.map(({ own, other }) => own.cpuMicroseconds / other.cpuMicroseconds)
  const throughputRatios = rounds.map(({ own, other }) => own.requestsPerSecond / other.requestsPerSecond)
  return [
    measureOfRounds(cpuRatios, { of, name: 'CPU per request', unit: 'of the other', target: { most: cpuRatioMost } }),
    measureOfRounds(throughputRatios, { of, name: 'throughput', unit: 'of the other' }),
    { of, name: 'CPU per request', value: middle(({ own }) => own.cpuMicroseconds), unit: 'µs' },
    { of, name: 'CPU per request, other', value: middle(({ other }) => other.cpuMicroseconds), unit: 'µs' },
    { of, name: 'CPU per request, floor', value: middle(({ floor }) => floor.cpuMicroseconds), unit: 'µs' },
    { of, name: 'throughput', value: middle(({ own, floor }) => own.requestsPerSecond / floor.requestsPerSecond), unit: 'of the floor' },
    {
      of,
      name: 'throughput, other',
      value: middle(({ other, floor }) => other.requestsPerSecond / floor.requestsPerSecond),
      unit: 'of the floor',
    },
    { of, name: 'latency p99', value: middle(({ own }) => own.p99Ms), unit: 'ms' },
    { of, name: 'latency p99, other', value: middle(({ other }) => other.p99Ms), unit: 'ms' },
  ]
}
