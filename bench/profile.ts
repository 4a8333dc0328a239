import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Homes, StoreKind } from '../fault/home.ts'
import { root, startTessera } from '../fault/spawn.ts'
import { targetOf } from './compare.ts'
import { readCpuMs, readMainCpuMs } from './cpu.ts'
import { startLoadGenerator } from './load.ts'
import type { LoadMethod } from './load-words.ts'

/** Where CPU time goes, in microseconds a request. */
export interface Profile {
  /** Of the thread that answers, by place; the largest first. */
  readonly places: readonly Spent[]
  /** The same by function, with its file. */
  readonly functions: readonly Spent[]
  readonly mainThread: number
  /** The thread that commits, the collector's and libuv's. */
  readonly otherThreads: number
}

export interface Spent {
  readonly where: string
  readonly microseconds: number
}

/**
 * Profiles the main thread of the service under load (node --cpu-prof). The profile says where the time goes, the kernel how much of it there
 * was: on a machine that others use too, a profile alone counts the waiting for a processor as work.
 */
export async function profileTessera(homes: Homes, store: StoreKind, method: LoadMethod, ms: number): Promise<Profile> {
  const home = await homes.make(store)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-profile-'))
  const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${intervalMicroseconds}`]
  const running = await startTessera({ flags: home.flags, nodeFlags, logFile: join(home.folder, 'log') })
  const load = startLoadGenerator()
  try {
    if (method === 'check') await load.obey({ order: 'prepare', target: targetOf(running, 'create'), cards: 500 })
    const order = { order: 'run', target: targetOf(running, method), method, connections: 64 } as const
    await load.obey({ ...order, ms: warmUpMs })
    const [allBefore, mainBefore] = [readCpuMs(running.pid), readMainCpuMs(running.pid)]
    const { requests, ms: took } = await load.obey({ ...order, ms })
    const mainThread = ((readMainCpuMs(running.pid) - mainBefore) / requests) * 1000
    const otherThreads = ((readCpuMs(running.pid) - allBefore) / requests) * 1000 - mainThread
    const stoppedAt = performance.now()
    await running.stop()
    const stopMs = performance.now() - stoppedAt
    return { ...sumUp(cutOut(readMainProfile(folder), stopMs, took), mainThread), mainThread, otherThreads }
  } finally {
    await load.end()
    await home.remove()
    rmSync(folder, { recursive: true })
  }
}

/** V8's own format (Profiler.Profile of the DevTools protocol), as far as it is read here. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** Each thread writes one; the thread that answered is the one that holds the command line. */
function readMainProfile(folder: string): CpuProfile {
  const profiles = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
  const main = profiles.find(({ nodes }) => nodes.some(({ callFrame }) => callFrame.url.includes('/service/src/rpc/')))
  if (main === undefined) throw new Error('the service wrote no profile')
  return main
}

/** The samples of `ms` milliseconds, up to `beforeEndMs` before the last: neither start nor stop is what is asked about. */
function cutOut(profile: CpuProfile, beforeEndMs: number, ms: number): CpuProfile {
  let [last, left] = [profile.samples.length, beforeEndMs * 1000]
  while (left > 0 && last > 0) left -= profile.timeDeltas[--last] ?? 0
  let first = last
  for (left = ms * 1000; left > 0 && first > 0;) left -= profile.timeDeltas[--first] ?? 0
  return { ...profile, samples: profile.samples.slice(first, last), timeDeltas: profile.timeDeltas.slice(first, last) }
}

/** Self time: what a function did itself, without what it called. Idle time is left out; the rest is told as shares of `microseconds`. */
export function sumUp({ nodes, samples, timeDeltas }: CpuProfile, microseconds: number): Pick<Profile, 'places' | 'functions'> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [places, functions] = [new Map<string, number>(), new Map<string, number>()]
  let all = 0
  samples.forEach((id, at) => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === '(idle)') return
    // A sample that comes late waited with its thread for a processor.
    const spent = Math.min(timeDeltas[at] ?? 0, 2 * intervalMicroseconds)
    all += spent
    add(places, placeOf(frame), spent)
    add(functions, `${frame.functionName || '(anonymous)'} ${fileOf(frame)}`, spent)
  })
  return { places: sorted(places, microseconds / all), functions: sorted(functions, microseconds / all) }
}

function add(sums: Map<string, number>, where: string, spent: number): void {
  sums.set(where, (sums.get(where) ?? 0) + spent)
}

function sorted(sums: ReadonlyMap<string, number>, scale: number): Spent[] {
  return [...sums]
    .map(([where, microseconds]) => ({ where, microseconds: microseconds * scale }))
    .sort((one, other) => other.microseconds - one.microseconds)
}

/** A folder of ours, a package, a part of Node, or what V8 calls a state. */
function placeOf(frame: CallFrame): string {
  const file = fileOf(frame)
  if (file === '') return frame.functionName.startsWith('(') ? frame.functionName : 'native'
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]
  if (inPackage !== undefined) return inPackage
  return file.startsWith('node:') ? file : file.slice(0, file.lastIndexOf('/'))
}

const warmUpMs = 2000
const intervalMicroseconds = 250

function fileOf({ url }: CallFrame): string {
  return url.replace('file://', '').replace(`${root}/`, '')
}
