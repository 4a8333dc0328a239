import { closeSync, openSync } from 'node:fs'

/** Whether the process has a controlling terminal, whose end the kernel reports by SIGHUP. Output and input may be redirected all the same. */
export function hasControllingTerminal(): boolean {
  // A console that is closed is all that SIGHUP means there.
  if (process.platform === 'win32') return true
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
