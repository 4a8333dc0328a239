import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Homes, StoreKind } from '../fault/home.ts'
import { root, startTessera } from '../fault/spawn.ts'
import { targetOf } from './compare.ts'
import { startLoadGenerator } from './load.ts'
import type { LoadMethod } from './load-words.ts'

/** Where the time of one thread goes. */
export interface Profile {
  /** Microseconds a request, by place; the largest first. */
  readonly places: readonly Spent[]
  /** The same by function, with its file. */
  readonly functions: readonly Spent[]
}

export interface Spent {
  readonly where: string
  readonly microseconds: number
}

/** Profiles the main thread of the service under load (node --cpu-prof), idle time left out. */
export async function profileTessera(homes: Homes, store: StoreKind, method: LoadMethod, ms: number): Promise<Profile> {
  const home = await homes.make(store)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-profile-'))
  const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250']
  const running = await startTessera({ flags: home.flags, nodeFlags, logFile: join(home.folder, 'log') })
  const load = startLoadGenerator()
  try {
    if (method === 'check') await load.obey({ order: 'prepare', target: targetOf(running, 'create'), cards: 500 })
    const order = { order: 'run', target: targetOf(running, method), method, connections: 64 } as const
    await load.obey({ ...order, ms: warmUpMs })
    const { requests, ms: took } = await load.obey({ ...order, ms })
    const stoppedAt = performance.now()
    await running.stop()
    const stopMs = performance.now() - stoppedAt
    return sumUp(cutOut(readMainProfile(folder), stopMs, took), requests)
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

/** Self time: what a function did itself, without what it called. */
export function sumUp({ nodes, samples, timeDeltas }: CpuProfile, requests: number): Profile {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [places, functions] = [new Map<string, number>(), new Map<string, number>()]
  samples.forEach((id, at) => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === '(idle)') return
    const spent = (timeDeltas[at] ?? 0) / requests
    add(places, placeOf(frame), spent)
    add(functions, `${frame.functionName || '(anonymous)'} ${fileOf(frame)}`, spent)
  })
  return { places: sorted(places), functions: sorted(functions) }
}

function add(sums: Map<string, number>, where: string, spent: number): void {
  sums.set(where, (sums.get(where) ?? 0) + spent)
}

function sorted(sums: ReadonlyMap<string, number>): Spent[] {
  return [...sums].map(([where, microseconds]) => ({ where, microseconds })).sort((one, other) => other.microseconds - one.microseconds)
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

function fileOf({ url }: CallFrame): string {
  return url.replace('file://', '').replace(`${root}/`, '')
}
