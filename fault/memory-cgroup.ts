import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that the kernel kills when they take more memory than they may (cgroup v1, controller `memory`). */
export interface MemoryGroup {
  /** A program that starts another one inside the group: for `startService`. */
  readonly wrapper: readonly string[]
  /** Flags of Node for it. */
  readonly nodeFlags: readonly string[]
  /** The program has been started. */
  started(pid: number): void
  /** The most memory that the group's processes have taken, bytes, without cached files, which the kernel gives up first. Sampled. */
  maxUsage(): number
  remove(): void
}

/** Whether this machine has the controller, and this user may use it. */
export function hasMemoryGroups(): boolean {
  return process.getuid?.() === 0 && existsSync(join(controller, 'memory.limit_in_bytes'))
}

export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup {
  const folder = join(controller, `tessera-fault-${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'memory.limit_in_bytes'), String(limitBytes))
  let most = 0
  const sampler = setInterval(() => (most = Math.max(most, readResident(folder))), sampleMs).unref()
  return {
    started: () => undefined,
    nodeFlags: [],
    wrapper: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'],
    maxUsage: () => (most = Math.max(most, readResident(folder))),
    remove: () => {
      clearInterval(sampler)
      removeGroup(folder)
    },
  }
}

/**
 * The same for one process on any Linux, without root: its resident memory is sampled, and the process is killed when it has more. What is taken between
 * two samples is not seen, so the experiment itself uses the group. In a group Node limits its heap to half of the memory (V8, `HeapSizeFromPhysicalMemory`),
 * and leaves up to four gigabytes of garbage otherwise, so here a flag says so.
 */
export function watchMemory(limitBytes: number): MemoryGroup {
  let most = 0
  let sampler: NodeJS.Timeout | undefined
  const sample = (pid: number): void => {
    const bytes = readProcessResident(pid)
    most = Math.max(most, bytes)
    if (bytes > limitBytes) process.kill(pid, 'SIGKILL')
  }
  return {
    wrapper: [],
    nodeFlags: [`--max-heap-size=${limitBytes / 2 / 1024 / 1024}`],
    started: (pid) => void (sampler = setInterval(() => sample(pid), sampleMs / 4)),
    maxUsage: () => most,
    remove: () => clearInterval(sampler),
  }
}

/** 0 when the process has ended. */
function readProcessResident(pid: number): number {
  try {
    return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

function readResident(folder: string): number {
  return Number(/^rss ([0-9]+)$/m.exec(readFileSync(join(folder, 'memory.stat'), 'utf8'))?.[1])
}

/** A process that was just killed may still be listed for a moment; an empty group that is left over takes nothing. */
function removeGroup(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EBUSY') throw err
  }
}

const sampleMs = 100
const controller = '/sys/fs/cgroup/memory'
