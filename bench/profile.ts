import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceDataFactory, StoreKind } from '../fault/service-data.ts'
import { root, startService } from '../fault/spawn.ts'
import { loadTargetOf } from './compare.ts'
import { readCpuMs, readMainCpuMs } from './cpu.ts'
import { startLoadGenerator } from './load.ts'
import type { LoadMethod } from './load-messages.ts'

/** Where CPU time goes, in microseconds per request. */
export interface CpuProfileSummary {
  /** Of the main thread, by folder or package, the largest first. */
  readonly folders: readonly CpuShare[]
  /** The same by function, with its file. */
  readonly functions: readonly CpuShare[]
  readonly mainThread: number
  /** The committing thread, the garbage collector's and libuv's threads. */
  readonly otherThreads: number
}

export interface CpuShare {
  readonly where: string
  readonly microseconds: number
}

/**
 * Profiles the main thread of the service under load (node --cpu-prof). The profile shows where the time goes, the kernel how much there was: on a
 * shared machine a profile alone counts waiting for a processor as work.
 */
export async function profileService(
  dataFactory: ServiceDataFactory,
  store: StoreKind,
  method: LoadMethod,
  ms: number,
): Promise<CpuProfileSummary> {
  const serviceData = await dataFactory.create(store)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-profile-'))
  const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${intervalMicroseconds}`]
  const running = await startService({ flags: serviceData.flags, nodeFlags, logFile: join(serviceData.folder, 'log') })
  const load = startLoadGenerator()
  try {
    if (method === 'check') await load.run({ order: 'prepare', target: loadTargetOf(running, 'create'), cards: 500 })
    // More than are paid in the time, since a run ends when there are none left.
    if (method === 'pay') await load.run({ order: 'prepareReceipts', target: loadTargetOf(running, 'pay'), receipts: (warmUpMs + ms) * 2 })
    const order = { order: 'run', target: loadTargetOf(running, method), method, connections: 64 } as const
    await load.run({ ...order, ms: warmUpMs })
    const [allBefore, mainBefore] = [readCpuMs(running.pid), readMainCpuMs(running.pid)]
    const { requests, ms: took } = await load.run({ ...order, ms })
    const mainThread = ((readMainCpuMs(running.pid) - mainBefore) / requests) * 1000
    const otherThreads = ((readCpuMs(running.pid) - allBefore) / requests) * 1000 - mainThread
    const stoppedAt = performance.now()
    await running.stop()
    const stopMs = performance.now() - stoppedAt
    return { ...summarizeProfile(cutOut(readMainProfile(folder), stopMs, took), mainThread), mainThread, otherThreads }
  } finally {
    await load.stop()
    await serviceData.remove()
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

/** Each thread writes one; the main thread's is the one with the server's files. */
function readMainProfile(folder: string): CpuProfile {
  const profiles = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
  const main = profiles.find(({ nodes }) => nodes.some(({ callFrame }) => callFrame.url.includes('/service/src/server/')))
  if (main === undefined) throw new Error('the service wrote no profile')
  return main
}

/** The samples of `ms` milliseconds, up to `beforeEndMs` before the last: start and stop are not measured. */
function cutOut(profile: CpuProfile, beforeEndMs: number, ms: number): CpuProfile {
  let [last, left] = [profile.samples.length, beforeEndMs * 1000]
  while (left > 0 && last > 0) left -= profile.timeDeltas[--last] ?? 0
  let first = last
  for (left = ms * 1000; left > 0 && first > 0;) left -= profile.timeDeltas[--first] ?? 0
  return { ...profile, samples: profile.samples.slice(first, last), timeDeltas: profile.timeDeltas.slice(first, last) }
}

/** Self time: what a function did itself, without what it called. Idle time is left out; the rest is returned as shares of `microseconds`. */
export function summarizeProfile(
  { nodes, samples, timeDeltas }: CpuProfile,
  microseconds: number,
): Pick<CpuProfileSummary, 'folders' | 'functions'> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [folders, functions] = [new Map<string, number>(), new Map<string, number>()]
  let all = 0
  samples.forEach((id, at) => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === '(idle)') return
    // A late sample waited for a processor together with its thread.
    const spent = Math.min(timeDeltas[at] ?? 0, 2 * intervalMicroseconds)
    all += spent
    add(folders, folderOf(frame), spent)
    add(functions, `${frame.functionName || '(anonymous)'} ${fileOf(frame)}`, spent)
  })
  return { folders: sorted(folders, microseconds / all), functions: sorted(functions, microseconds / all) }
}

function add(sums: Map<string, number>, where: string, spent: number): void {
  sums.set(where, (sums.get(where) ?? 0) + spent)
}

function sorted(sums: ReadonlyMap<string, number>, scale: number): CpuShare[] {
  return [...sums]
    .map(([where, microseconds]) => ({ where, microseconds: microseconds * scale }))
    .sort((one, other) => other.microseconds - one.microseconds)
}

/** A folder of this repository, a package, a module of Node, or a state of V8. */
function folderOf(frame: CallFrame): string {
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
