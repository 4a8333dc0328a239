import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/**
 * V8's collection that also gives freed pages back to the system, without a flag on the command line: contexts that are made while the flag is set
 * have the function, and one is made at the first call. A usual collection puts the pages in a pool, which is emptied when the process has been idle for
 * seconds.
 */
export function collectGarbage(): void {
  collect ??= makeCollect()
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

let collect: Collect | null = null

function makeCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const made = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return made
}

/** Of x86-64, and of arm64 as most systems set it; with larger ones less is counted than is held. */
const pageBytes = 4096
