import type { Dek } from '@tessera/vault/dek'
import { parentPort, workerData } from 'node:worker_threads'
import type { NamedTransaction } from '../transactions.ts'
import { makeBatchWriter } from './batch.ts'
import { connectWriter } from './connect.ts'

// The thread that writes: it waits for the disk, so that the thread that serves requests never does.

const port = parentPort
if (port === null) throw new Error('the commit worker runs as a worker thread')

const { path, maxPages } = workerData as CommitWorkerStart
const connection = connectWriter(path, maxPages)
const writer = makeBatchWriter(connection)

port.on('message', (message: CommitWorkerMessage) => {
  if (message === null) {
    connection.db.close()
    port.close()
  } else if ('auditKey' in message) writer.setAuditKey(message.auditKey)
  else port.postMessage(writer.write(message))
})
port.postMessage('ready')

/** A batch to commit, a new audit key, or null: close. */
export type CommitWorkerMessage = readonly NamedTransaction[] | { readonly auditKey: Dek } | null

/** The worker's options. */
export interface CommitWorkerStart {
  readonly path: string
  /** Largest size of the database in pages of 4 KiB; null for no limit. */
  readonly maxPages: number | null
}
