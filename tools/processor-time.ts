import { readFileSync } from 'node:fs'

/**
 * The processor time of this process and of every process that it started and that has ended, in seconds: of their ended processes too. Zero where
 * there is no /proc.
 */
export function readProcessorSeconds(): number {
  try {
    // After the name, which may hold any character: the 14th to 17th field of the line, in ticks. See proc_pid_stat(5).
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
