import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that the kernel kills when they take more memory than they may (cgroup v1, controller `memory`). */
export interface MemoryGroup {
  /** A program that starts another one inside the group: for `startService`. */
  readonly wrapper: readonly string[]
  /** The most memory that the group has taken, bytes. */
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
  return {
    wrapper: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'],
    maxUsage: () => Number(readFileSync(join(folder, 'memory.max_usage_in_bytes'), 'utf8')),
    remove: () => removeGroup(folder),
  }
}

/** A process that was just killed may still be listed for a moment; an empty group that is left over takes nothing. */
function removeGroup(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EBUSY') throw err
  }
}

const controller = '/sys/fs/cgroup/memory'
