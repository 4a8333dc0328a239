import { join } from 'node:path'
import { median } from '../fault/statistics.ts'
import type { ServiceData, ServiceDataFactory, StoreKind } from '../fault/service-data.ts'
import { startProgram, startService, type RunningService } from '../fault/spawn.ts'
import { readCpuMs, readCpuMsWhenIdle } from './cpu.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { LoadMethod, LoadTarget } from './load-messages.ts'

/** One method on one store, compared with its floor. */
export interface ComparisonResult {
  readonly method: LoadMethod
  readonly store: StoreKind
  readonly tessera: Speed
  readonly floor: Speed
  /** Requests per second, as a share of the floor's, in each round. */
  readonly throughputShares: readonly number[]
  /** The floor's CPU time per request, as a share of the service's, in each round. */
  readonly cpuShares: readonly number[]
}

/** Medians over the rounds. */
export interface Speed {
  readonly requests: number
  readonly requestsPerSecond: number
  /** User and system time of all threads of the server, without PostgreSQL's own: of the load alone (`measureSpeed`), or of the whole cycle. */
  readonly cpuMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface ComparisonOptions {
  readonly method: LoadMethod
  readonly store: StoreKind
  readonly dataFactory: ServiceDataFactory
  readonly connections: number
  /** How many cards are created for `check`. */
  readonly cards: number
  readonly rounds: number
  readonly roundMs: number
  readonly say: (text: string) => void
}

/** Measures service and floor in one run, alternating (A B A B …), with the same load generator. */
export async function compareWithFloor(comparison: ComparisonOptions): Promise<ComparisonResult> {
  const { method, store, dataFactory, rounds, cards } = comparison
  const [own, floors] = [await dataFactory.create(store), await dataFactory.create(store)]
  const tessera = await startService({ flags: own.flags, logFile: join(own.folder, 'log') })
  const floor = await startFloor(floors)
  const load = startLoadGenerator()
  try {
    const measureOne = (running: RunningService): Promise<Speed> => measureWholeCycle(running, load, comparison)
    for (const running of [floor, tessera]) {
      if (method === 'check') await load.run({ order: 'prepare', target: loadTargetOf(running, 'create'), cards })
      await measureOne(running)
    }
    const pairs: { floor: Speed; tessera: Speed }[] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push({ floor: await measureOne(floor), tessera: await measureOne(tessera) })
      comparison.say(`${method} ${store}: round ${round + 1} of ${rounds}`)
    }
    return sumUp(method, store, pairs)
  } finally {
    await load.stop()
    await Promise.all([tessera.stop(), floor.stop()])
    await own.remove()
    await floors.remove()
  }
}

export function startFloor(serviceData: ServiceData, imports: readonly URL[] = []): Promise<RunningService> {
  return startProgram('bench/floor.ts', { flags: serviceData.flags, imports, logFile: join(serviceData.folder, 'log') })
}

export interface RoundOptions extends Pick<ComparisonOptions, 'method' | 'connections' | 'roundMs'> {
  /** Ends the round when so many were sent. */
  readonly requests?: number
  /** Requests that a busy service refuses are sent again and are no failure. */
  readonly repeatsRefused?: boolean
}

/** One round of load on one service. */
export async function measureSpeed(
  running: RunningService,
  load: LoadGenerator,
  { method, connections, roundMs, requests, repeatsRefused = false }: RoundOptions,
): Promise<Speed> {
  const cpuBefore = readCpuMs(running.pid)
  const end = requests === undefined ? { ms: roundMs } : { ms: roundMs, requests }
  const result = await load.run({ order: 'run', target: loadTargetOf(running, method), method, connections, repeatsRefused, ...end })
  const cpuMs = readCpuMs(running.pid) - cpuBefore
  return {
    requests: result.requests,
    requestsPerSecond: (result.requests / result.ms) * 1000,
    cpuMicroseconds: (cpuMs / result.requests) * 1000,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
  }
}

/** The same, with the CPU time until the service is idle again: what it writes after its last reply, its request log for instance, counts. */
export async function measureWholeCycle(running: RunningService, load: LoadGenerator, options: RoundOptions): Promise<Speed> {
  const cpuBefore = readCpuMs(running.pid)
  const speed = await measureSpeed(running, load, options)
  const cpuMs = (await readCpuMsWhenIdle(running.pid)) - cpuBefore
  return { ...speed, cpuMicroseconds: (cpuMs / speed.requests) * 1000 }
}

/** A card comes from a browser, which has no password; a check comes from the merchant's server. Both name the same merchant. */
export function loadTargetOf({ url, xAuth }: RunningService, method: LoadMethod): LoadTarget {
  return { url, xAuth: method === 'create' ? xAuth.slice(0, xAuth.indexOf(':')) : xAuth }
}

function sumUp(method: LoadMethod, store: StoreKind, pairs: readonly { floor: Speed; tessera: Speed }[]): ComparisonResult {
  return {
    method,
    store,
    tessera: medianOf(pairs.map(({ tessera }) => tessera)),
    floor: medianOf(pairs.map(({ floor }) => floor)),
    throughputShares: pairs.map(({ floor, tessera }) => tessera.requestsPerSecond / floor.requestsPerSecond),
    cpuShares: pairs.map(({ floor, tessera }) => floor.cpuMicroseconds / tessera.cpuMicroseconds),
  }
}

function medianOf(speeds: readonly Speed[]): Speed {
  const middle = (metric: keyof Speed): number => median(speeds.map((speed) => speed[metric]))
  return {
    requests: middle('requests'),
    requestsPerSecond: middle('requestsPerSecond'),
    cpuMicroseconds: middle('cpuMicroseconds'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
  }
}
