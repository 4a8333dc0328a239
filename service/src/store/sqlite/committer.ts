import { Worker } from 'node:worker_threads'
import type { Dek } from '@tessera/vault/dek'

import type { AuditHead } from '../audit.ts'
import type { NamedTransaction } from '../transactions.ts'
import { type AuditListener, StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { BatchResult, TransactionResult } from './batch.ts'
import type { CommitWorkerMessage, CommitWorkerStart } from './commit-worker.ts'
import { ownBytes } from './own-bytes.ts'

/** Collects writes and has the worker commit them, one batch at a time; the next batch is collected while one commits. */
export interface Committer {
  /** Resolves after COMMIT. */
  write(name: string, input: unknown): Promise<unknown>
  setAuditKey(key: Dek): void
  /** The head of the audit chain after the last commit; null before the first. */
  auditHead(): AuditHead | null
  watchAudit(listener: AuditListener): void
  /** Writes that are not in the batch that is being committed. */
  waitingWrites(): number
  close(deadlineMs: number): Promise<void>
}

interface WaitingWrite {
  readonly transaction: NamedTransaction
  readonly resolve: (result: unknown) => void
  readonly reject: (err: Error) => void
}

/**
 * Starts the worker. `lost` is called once when it is unknown what is durable; no write resolves from then on. `program` is the worker's module.
 */
export async function startCommitter(
  start: CommitWorkerStart,
  lost: (cause: Error) => void,
  program: URL = commitWorker,
): Promise<Committer> {
  const worker = new Worker(program, { workerData: start, stdout: false, stderr: false })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await ready(worker)
  const waiting: WaitingWrite[] = []
  let committing: WaitingWrite[] = []
  let scheduled = false
  let closing: (() => void) | null = null
  let ended: Error | null = null
  let head: AuditHead | null = null
  const listeners: AuditListener[] = []

  worker.on('message', (end: BatchResult) => {
    const batch = committing
    committing = []
    if ('lost' in end) {
      fail(new Error(`the embedded database failed: ${end.lost}`))
      return
    }
    const { audit } = end
    if (audit.after.seq > 0) head = audit.after
    if (audit.after.seq > audit.before.seq) for (const listener of listeners) listener(audit)
    resolveWrites(batch, end.ends)
    if (waiting.length > 0) send()
    else closing?.()
  })
  worker.on('error', (err) => fail(new Error('the commit worker failed', { cause: err })))
  worker.on('exit', () => {
    if (closing === null || committing.length > 0) fail(new Error('the commit worker ended'))
    closing?.()
  })

  return {
    write,
    setAuditKey: (auditKey) => post({ auditKey }),
    auditHead: () => head,
    watchAudit: (listener) => void listeners.push(listener),
    waitingWrites: () => waiting.length,
    close,
  }

  function post(message: CommitWorkerMessage): void {
    worker.postMessage(message)
  }

  function write(name: string, input: unknown): Promise<unknown> {
    if (ended !== null || closing !== null) return Promise.reject(new StoreUnavailable('the store is closed', { cause: ended }))
    if (waiting.length >= maxWaiting) return Promise.reject(new StoreOverloaded(`${maxWaiting} writes are waiting`))
    return new Promise((resolve, reject) => {
      waiting.push({ transaction: { name, input: ownBytes(input) }, resolve, reject })
      if (committing.length > 0 || scheduled) return
      // At the end of this turn of the event loop, so that all its writes are one batch.
      scheduled = true
      setImmediate(() => {
        scheduled = false
        if (committing.length === 0 && waiting.length > 0) send()
      })
    })
  }

  function send(): void {
    if (ended !== null) return
    committing = waiting.splice(0, maxBatchSize)
    post(committing.map(({ transaction }) => transaction))
  }

  function fail(cause: Error): void {
    if (ended !== null) return
    ended = cause
    void worker.terminate()
    // The outcome of the batch is unknown and the service exits: its promises stay pending. The waiting writes were not started.
    for (const { reject } of waiting.splice(0)) reject(new StoreUnavailable('the store is lost', { cause }))
    lost(cause)
  }

  async function close(deadlineMs: number): Promise<void> {
    if (closing !== null || ended !== null) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      closing = resolve
      if (committing.length === 0 && waiting.length === 0) resolve()
      else timer = setTimeout(resolve, deadlineMs)
    })
    clearTimeout(timer)
    for (const { reject } of waiting.splice(0)) reject(new StoreUnavailable('the store is closed'))
    post(null)
    if (await isDoneWithin(deadlineMs, exited)) return
    // The disk may be blocking it; what it still commits is not acknowledged.
    ended = new StoreOutcomeUnknown('the commit worker did not end in time')
    void worker.terminate()
    throw ended
  }
}

async function isDoneWithin(ms: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)))
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer))
}

function resolveWrites(batch: readonly WaitingWrite[], ends: readonly TransactionResult[]): void {
  batch.forEach(({ resolve, reject }, at) => {
    const end = ends[at]
    if (end === undefined) reject(new Error('the commit worker returned fewer results than it got transactions'))
    else if ('failed' in end) reject(toStoreError(end))
    else resolve(end.result)
  })
}

function toStoreError({ failed, fault }: Extract<TransactionResult, { failed: string }>): Error {
  if (fault === 'full') return new StoreFull(failed)
  return fault === 'busy' ? new StoreUnavailable(failed) : new Error(failed)
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => {
      worker.removeListener('error', reject)
      resolve()
    })
    worker.once('error', reject)
  })
}

const commitWorker = new URL('./commit-worker.ts', import.meta.url)

/** More waiting writes than this are refused. At 25,000 transactions a second this is a third of a second. */
const maxWaiting = 8192
const maxBatchSize = 512
