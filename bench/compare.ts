import { join } from 'node:path'
import { median } from '../fault/figures.ts'
import type { Home, Homes, StoreKind } from '../fault/home.ts'
import { startProgram, startTessera, type Running } from '../fault/spawn.ts'
import { readCpuMs } from './cpu.ts'
import { startLoadGenerator, type LoadGenerator } from './load.ts'
import type { LoadMethod, Target } from './load-words.ts'

/** One method on one store, beside its floor. */
export interface Compared {
  readonly method: LoadMethod
  readonly store: StoreKind
  readonly tessera: Speed
  readonly floor: Speed
  /** Requests a second, of the floor's: the median of the rounds' own ratios. */
  readonly throughputShare: number
  /** The floor's CPU time a request, of ours. */
  readonly cpuShare: number
}

/** Medians over the rounds. */
export interface Speed {
  readonly requestsASecond: number
  /** User and system time of the server, all its threads; of PostgreSQL's own there is none in it. */
  readonly cpuMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface Comparison {
  readonly method: LoadMethod
  readonly store: StoreKind
  readonly homes: Homes
  readonly connections: number
  /** How many cards there are to be checked. */
  readonly cards: number
  readonly rounds: number
  readonly roundMs: number
  readonly say: (text: string) => void
}

/** Measures service and floor in one run, one after the other and again (A B A B …), by the same load generator. */
export async function compareWithFloor(comparison: Comparison): Promise<Compared> {
  const { method, store, homes, rounds, cards } = comparison
  const [own, floors] = [await homes.make(store), await homes.make(store)]
  const tessera = await startTessera({ flags: own.flags, logFile: join(own.folder, 'log') })
  const floor = await startFloor(floors)
  const load = startLoadGenerator()
  try {
    const measureOne = (running: Running): Promise<Speed> => measureSpeed(running, load, comparison)
    for (const running of [floor, tessera]) {
      if (method === 'check') await load.obey({ order: 'prepare', target: targetOf(running, 'create'), cards })
      await measureOne(running)
    }
    const pairs: { floor: Speed; tessera: Speed }[] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push({ floor: await measureOne(floor), tessera: await measureOne(tessera) })
      comparison.say(`${method} ${store}: round ${round + 1} of ${rounds}`)
    }
    return sumUp(method, store, pairs)
  } finally {
    await load.end()
    await Promise.all([tessera.stop(), floor.stop()])
    await own.remove()
    await floors.remove()
  }
}

export function startFloor(home: Home, imports: readonly URL[] = []): Promise<Running> {
  return startProgram('bench/floor.ts', { flags: home.flags, imports, logFile: join(home.folder, 'log') })
}

/** One round of load on one service. */
export async function measureSpeed(
  running: Running,
  load: LoadGenerator,
  { method, connections, roundMs }: Pick<Comparison, 'method' | 'connections' | 'roundMs'>,
): Promise<Speed> {
  const cpuBefore = readCpuMs(running.pid)
  const answer = await load.obey({ order: 'run', target: targetOf(running, method), method, connections, ms: roundMs })
  const cpuMs = readCpuMs(running.pid) - cpuBefore
  return {
    requestsASecond: (answer.requests / answer.ms) * 1000,
    cpuMicroseconds: (cpuMs / answer.requests) * 1000,
    p50Ms: answer.p50Ms,
    p99Ms: answer.p99Ms,
  }
}

/** A card comes from a browser, which has no password; a check from the merchant's server. Both under the same name of the merchant. */
export function targetOf({ url, xAuth }: Running, method: LoadMethod): Target {
  return { url, xAuth: method === 'create' ? xAuth.slice(0, xAuth.indexOf(':')) : xAuth }
}

function sumUp(method: LoadMethod, store: StoreKind, pairs: readonly { floor: Speed; tessera: Speed }[]): Compared {
  return {
    method,
    store,
    tessera: medianOf(pairs.map(({ tessera }) => tessera)),
    floor: medianOf(pairs.map(({ floor }) => floor)),
    throughputShare: median(pairs.map(({ floor, tessera }) => tessera.requestsASecond / floor.requestsASecond)),
    cpuShare: median(pairs.map(({ floor, tessera }) => floor.cpuMicroseconds / tessera.cpuMicroseconds)),
  }
}

function medianOf(speeds: readonly Speed[]): Speed {
  const middle = (figure: keyof Speed): number => median(speeds.map((speed) => speed[figure]))
  return {
    requestsASecond: middle('requestsASecond'),
    cpuMicroseconds: middle('cpuMicroseconds'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
  }
}
