import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8's collection that also gives freed pages back to the system, without a flag on the command line: contexts that are made while the flag is set
 * have the function, and one is made at the first call. A usual collection puts the pages in a pool, which is emptied when the process has been idle for
 * seconds, and leaves the young generation as large as it was. Of the calling thread alone; it stops this thread meanwhile.
 */
export function collectGarbage(): void {
  collect ??= makeCollect()
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

let collect: Collect | null = null

/** The flag is one for all threads, so another one that does the same may take it back before the context is made. It is not left on: compiled code is cached for the flags it was made with. */
function makeCollect(): Collect {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    setFlagsFromString('--expose-gc')
    const made = runInNewContext('globalThis.gc') as Collect | undefined
    setFlagsFromString('--no-expose-gc')
    if (made !== undefined) return made
  }
  throw new Error('this version of V8 offers no collection')
}

const maxAttempts = 100
