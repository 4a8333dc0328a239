import { renameSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Preloaded: at SIGUSR2 it collects all garbage of the main thread, and writes how many bytes are left into a file.

/** The file to write. */
export const liveMemoryVariable = 'FAULT_LIVE_MEMORY'

const file = process.env[liveMemoryVariable]
if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    writeFileSync(`${file}.new`, String(heapUsed + external))
    renameSync(`${file}.new`, file)
  })
}
