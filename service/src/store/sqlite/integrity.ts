import { Worker } from 'node:worker_threads'

import { notDatabase, SQLITE_NOTADB } from './fault.ts'
import { locationOf } from './inspect.ts'

/**
 * Reads the whole database at a path: SQLite's integrity check, and whether the audit chains are without gaps. Changes nothing. Returns what is wrong,
 * at most ten findings; a file that cannot be read is a finding too. Takes some seconds for each gigabyte. Throws `StoreDamaged` for a file that is no
 * database at all.
 */
export function findDatabaseFaults(path: string): Promise<readonly string[]> {
  const worker = new Worker(program, { workerData: { location: locationOf(path).href } })
  return new Promise((resolve, reject) => {
    worker.once('message', ({ faults, errcode }: { readonly faults: readonly string[]; readonly errcode?: unknown }) => {
      if (errcode === SQLITE_NOTADB) reject(notDatabase(path))
      else resolve(faults)
    })
    worker.once('error', reject)
  })
}

const program = new URL('./integrity-worker.ts', import.meta.url)
