import { existsSync, readFileSync, rmSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

// Loaded into every thread of a service: its second worker fails when the file is there, once or always.

const file = process.env['TEST_FAIL_FILE'] ?? ''
const { number } = (workerData ?? {}) as { readonly number?: number }
if (!isMainThread && number === 2) setInterval(failIfToldTo, 20).unref()

function failIfToldTo(): void {
  if (!existsSync(file)) return
  if (readFileSync(file, 'utf8') === 'once') rmSync(file)
  throw new Error('a test makes this worker fail')
}
