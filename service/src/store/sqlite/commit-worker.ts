import type { Dek } from '@tessera/vault/dek'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { backgroundWrites } from '../background-writes.ts'
import type { AuditCommit } from '../store.ts'
import type { NamedTransaction } from '../transactions.ts'
import { makeBatchWriter, type TransactionResult } from './batch.ts'
import { connectWriter } from './connect.ts'

// The thread that writes: it waits for the disk, so that the threads that serve requests never do.

const owner = parentPort
if (owner === null) throw new Error('the commit worker runs as a worker thread')

const { path, maxPages } = workerData as CommitWorkerStart
const connection = connectWriter(path, maxPages)
const writer = makeBatchWriter(connection)
/** The threads that write; the first of them owns this one. */
const ports = new Set<MessagePort>([owner])

owner.on('message', (message: CommitWorkerMessage) => receive(owner, message))
owner.postMessage('ready')

/** A batch that waits for its commit. */
interface ReceivedBatch {
  readonly port: MessagePort
  readonly batch: readonly NamedTransaction[]
}

function receive(port: MessagePort, message: CommitWorkerMessage): void {
  const own = read(port, message)
  if (own === null) return
  // What the other threads have sent meanwhile is committed together: one COMMIT, and one wait for the disk.
  const batches = [own, ...(ports.size === 1 ? [] : [...ports].filter((other) => other !== port).flatMap(takeWaiting))]
  const shared = batches.filter(({ batch }) => !isOfJob(batch))
  if (shared.length > 0) commit(shared)
  // Each alone, so that calls wait for one of them at most (decision 81).
  for (const each of batches) if (isOfJob(each.batch)) commit([each])
}

/** A thread waits for the end of its batch before it sends the next one, so there is one at most; other messages may be in front of it. */
function takeWaiting(port: MessagePort): ReceivedBatch[] {
  const found: ReceivedBatch[] = []
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const batch = read(port, next.message as CommitWorkerMessage)
    if (batch !== null) found.push(batch)
  }
  return found
}

/** Does what a message says; the batch of one that has one. */
function read(port: MessagePort, message: CommitWorkerMessage): ReceivedBatch | null {
  if (message === null) close(port)
  else if ('auditKey' in message) writer.setAuditKey(message.auditKey)
  else if ('port' in message) open(message.port)
  else return { port, batch: message }
  return null
}

function commit(batches: readonly ReceivedBatch[]): void {
  const result = writer.write(batches.flatMap(({ batch }) => batch))
  if ('lost' in result) {
    for (const port of ports) port.postMessage(result)
    return
  }
  const { ends, audit } = result
  const own = new Map<MessagePort, readonly TransactionResult[]>()
  let from = 0
  for (const { port, batch } of batches) own.set(port, ends.slice(from, (from += batch.length)))
  // First what every thread has to know before anything of it is acknowledged. The owner counts commits too.
  const isAudited = audit.after.seq > audit.before.seq
  for (const port of ports) {
    if (!own.has(port) && (isAudited || port === owner)) port.postMessage({ ends: null, audit } satisfies CommitWorkerReply)
  }
  for (const [port, portEnds] of own) port.postMessage({ ends: portEnds, audit } satisfies CommitWorkerReply)
}

function isOfJob([first]: readonly NamedTransaction[]): boolean {
  return first !== undefined && backgroundWrites.has(first.name)
}

function open(port: MessagePort): void {
  ports.add(port)
  port.on('message', (message: CommitWorkerMessage) => receive(port, message))
  // The thread has ended.
  port.on('close', () => ports.delete(port))
}

/** With the thread that owns this one, everything ends. */
function close(port: MessagePort): void {
  ports.delete(port)
  port.close()
  if (port !== owner) return
  for (const other of ports) other.close()
  connection.db.close()
}

/** A batch to commit, a new audit key, a port by which another thread writes, or null: close. */
export type CommitWorkerMessage = readonly NamedTransaction[] | { readonly auditKey: Dek } | { readonly port: MessagePort } | null

/** The end of a thread's batch, or with `ends` null what other threads have committed. */
export type CommitWorkerReply =
  { readonly ends: readonly TransactionResult[] | null; readonly audit: AuditCommit } | { readonly lost: string }

/** The worker's options. */
export interface CommitWorkerStart {
  readonly path: string
  /** Largest size of the database in pages of 4 KiB; null for no limit. */
  readonly maxPages: number | null
}
