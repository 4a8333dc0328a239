import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a crash of this process may write its memory, including keys, to disk; `unknown` where the system does not report it. */
export type CoreDumps = 'off' | 'on' | 'unknown'

/**
 * Disables core dumps of this process as far as the system allows, and returns the resulting state. Node has no API for it, so prlimit(1) of
 * util-linux is used.
 *
 * Where core_pattern pipes dumps to a program, the kernel ignores the limit except for one value: 1 prevents a piped dump (core(5),
 * fs/coredump.c), and it is also below the minimum size of a dump to a file.
 */
export function disableCoreDumps(): CoreDumps {
  if (process.platform !== 'linux') return 'unknown'
  const limit = isPiped() ? 1 : 0
  // Whether it succeeded is read from the kernel, not from the exit code.
  spawnSync('prlimit', ['--pid', String(process.pid), `--core=${String(limit)}:${String(limit)}`], { stdio: 'ignore', timeout: 2000 })
  return readCoreDumps()
}

/** The present limit of this process, from the kernel. */
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
