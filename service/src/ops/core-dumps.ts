import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a crash of this process may leave its memory on disk, keys and all; `unknown` where the system does not tell. */
export type CoreDumps = 'off' | 'on' | 'unknown'

/**
 * Switches core dumps of this process off, as far as the system lets it, and tells how they stand. Node has no call for it, so prlimit(1) of
 * util-linux is asked.
 *
 * Where core_pattern pipes dumps to a program, the kernel does not look at the limit, but for one value: 1 keeps a piped dump from being
 * made (core(5), fs/coredump.c), and is below the least size of a file dump as well.
 */
export function disableCoreDumps(): CoreDumps {
  if (process.platform !== 'linux') return 'unknown'
  const limit = isPiped() ? 1 : 0
  // Whether it worked is read from the kernel, not from its exit code.
  spawnSync('prlimit', ['--pid', String(process.pid), `--core=${String(limit)}:${String(limit)}`], { stdio: 'ignore', timeout: 2000 })
  return readCoreDumps()
}

/** As the kernel has it for this process. */
export function readCoreDumps(): CoreDumps {
  const limits = readText('/proc/self/limits')
  const soft = /^Max core file size\s+(\S+)/m.exec(limits)?.[1]
  if (soft === undefined) return 'unknown'
  return soft === '1' || (soft === '0' && !isPiped()) ? 'off' : 'on'
}

function isPiped(): boolean {
  return readText('/proc/sys/kernel/core_pattern').startsWith('|')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
