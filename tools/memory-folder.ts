import { readFileSync, statfsSync } from 'node:fs'

/**
 * A folder in memory for what tests write, or null when there is none with enough room. Files there need no disk: a test that waits for a
 * thousand fsyncs takes half of the time and three quarters of the processor time.
 */
export function findMemoryFolder(): string | null {
  return isSuitable(readText('/proc/mounts'), readText('/proc/meminfo'), () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  })
    ? folder
    : null
}

/** Whether the folder is a file system in memory that runs programs, and has room, as has the memory. */
export function isSuitable(mounts: string, meminfo: string, readFreeBytes: () => number): boolean {
  const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(mounts)?.[1]?.split(',')
  const availableBytes = Number(/^MemAvailable: +(\d+) kB$/m.exec(meminfo)?.[1] ?? 0) * 1024
  if (options?.includes('rw') !== true || options.includes('noexec')) return false
  return availableBytes >= minMemoryBytes && readFreeBytes() >= minFreeBytes
}

/** Empty when there is no such file: not on Linux. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const folder = '/dev/shm'
const minFreeBytes = 2 * 2 ** 30
const minMemoryBytes = 6 * 2 ** 30
