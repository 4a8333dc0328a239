import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** What the process may have, bytes: its container's limit, or what the machine has. */
export function readMemoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem())
}

/** What the kernel cannot take back, bytes: resident memory without the pages of files, such as the program itself (proc(5), statm). */
export function readHeldMemory(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, resident = 0, shared = 0] = readFileSync('/proc/self/statm', 'latin1').split(' ', 3).map(Number)
  return (resident - shared) * pageBytes
}

/** Of x86-64, and of arm64 as most systems set it; with larger ones less is counted than is held. */
const pageBytes = 4096
