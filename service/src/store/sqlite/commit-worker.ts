import { parentPort, workerData } from 'node:worker_threads'
import type { NamedTransaction } from '../transactions.ts'
import { makeBatchWriter } from './batch.ts'
import { connectWriter } from './connect.ts'

// The thread that writes: it waits for the disk, so that the thread that serves requests never does.

const port = parentPort
if (port === null) throw new Error('the commit worker runs as a worker thread')

const { path, maxPages } = workerData as CommitWorkerStart
const connection = connectWriter(path, maxPages)
const writeBatch = makeBatchWriter(connection)

port.on('message', (batch: readonly NamedTransaction[] | null) => {
  if (batch === null) {
    connection.db.close()
    port.close()
    return
  }
  port.postMessage(writeBatch(batch))
})
port.postMessage('ready')

/** The worker's options. */
export interface CommitWorkerStart {
  readonly path: string
  /** Largest size of the database in pages of 4 KiB; null for no limit. */
  readonly maxPages: number | null
}
