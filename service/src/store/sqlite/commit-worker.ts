import { parentPort, workerData } from 'node:worker_threads'
import type { Write } from '../questions/units.ts'
import { makeBatchWriter } from './batch.ts'
import { connectWriter } from './connect.ts'

// The thread that writes: waits for the disk here, so that the thread that serves never does.

const port = parentPort
if (port === null) throw new Error('the commit worker runs as a worker thread')

const { path, maxPages } = workerData as CommitWorkerStart
const connection = connectWriter(path, maxPages)
const writeBatch = makeBatchWriter(connection)

port.on('message', (batch: readonly Write[] | null) => {
  if (batch === null) {
    connection.db.close()
    port.close()
    return
  }
  port.postMessage(writeBatch(batch))
})
port.postMessage('ready')

/** What the worker is started with. */
export interface CommitWorkerStart {
  readonly path: string
  /** Largest size of the database in pages of 4 KiB; null: as the disk allows. */
  readonly maxPages: number | null
}
