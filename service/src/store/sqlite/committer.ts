import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Dek } from '@tessera/vault/dek'

import type { AuditHead } from '../audit.ts'
import type { NamedTransaction } from '../transactions.ts'
import { type AuditListener, StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { TransactionResult } from './batch.ts'
import type { CommitWorkerMessage, CommitWorkerReply, CommitWorkerStart } from './commit-worker.ts'
import { backgroundWrites } from '../background-writes.ts'
import { type StoreTimeLimits, storeTimeLimits } from '../time-limits.ts'
import { isDoneWithin } from './done-within.ts'
import { ownBytes } from './own-bytes.ts'

/**
 * Collects writes and has the worker commit them, one batch at a time; the next batch is collected while one commits. A write of a background job is a batch
 * of its own and lets those of calls go first (decision 81): a call waits for one of them at most, and never for the disk to take both.
 */
export interface Committer {
  /** Resolves after COMMIT. */
  write(name: string, input: unknown): Promise<unknown>
  setAuditKey(key: Dek): void
  /** The head of the audit chain after the last commit; null before the first. */
  auditHead(): AuditHead | null
  watchAudit(listener: AuditListener): void
  /** Writes that are not in the batch that is being committed. */
  waitingWrites(): number
  /** Batches that were committed. */
  commitCount(): number
  close(deadlineMs: number): Promise<void>
}

/** The committer of the thread that has the commit worker. */
export interface CommitterOwner extends Committer {
  /** A way to the same worker for a committer of another thread. */
  openPort(): MessagePort
}

interface WaitingWrite {
  readonly transaction: NamedTransaction
  /** Monotonic milliseconds. */
  readonly since: number
  readonly resolve: (result: unknown) => void
  readonly reject: (err: Error) => void
}

export interface CommitterOptions {
  /** The worker's module. */
  readonly program?: URL
  readonly limits?: StoreTimeLimits
}

/**
 * Starts the worker. `lost` is called once when it is unknown what is durable; no write resolves from then on. Every write ends within
 * `limits.writeMs` and a twentieth of it, whatever the disk does; while a batch is stuck, new writes are refused at once.
 */
export async function startCommitter(
  start: CommitWorkerStart,
  lost: (cause: Error) => void,
  { program = commitWorker, limits = storeTimeLimits }: CommitterOptions = {},
): Promise<CommitterOwner> {
  const worker = new Worker(program, { workerData: start, stdout: false, stderr: false })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await ready(worker)
  const committer = makeCommitter(
    {
      post: (message) => worker.postMessage(message),
      onReply: (reply) => void worker.on('message', reply),
      onFailed: (failed) => void worker.on('error', failed),
      onEnded: (ended) => void worker.on('exit', ended),
      exited,
      abandon: () => void worker.terminate(),
    },
    lost,
    limits,
  )
  return {
    ...committer,
    openPort() {
      const { port1, port2 } = new MessageChannel()
      worker.postMessage({ port: port1 } satisfies CommitWorkerMessage, [port1])
      return port2
    },
  }
}

/** The same for another thread, by a port to the worker of the first: writes of all threads that wait at the same time share a commit. */
export function connectCommitter(port: MessagePort, lost: (cause: Error) => void, limits: StoreTimeLimits = storeTimeLimits): Committer {
  return makeCommitter(
    {
      post: (message) => port.postMessage(message),
      onReply: (reply) => void port.on('message', reply),
      onFailed: (failed) => void port.on('messageerror', failed),
      onEnded: (ended) => void port.on('close', ended),
      exited: new Promise<void>((resolve) => port.once('close', () => resolve())),
      abandon: () => port.close(),
    },
    lost,
    limits,
  )
}

/** A connection to the commit worker. */
interface CommitLink {
  readonly post: (message: CommitWorkerMessage) => void
  readonly onReply: (reply: (message: CommitWorkerReply) => void) => void
  readonly onFailed: (failed: (err: Error) => void) => void
  readonly onEnded: (ended: () => void) => void
  readonly exited: Promise<void>
  readonly abandon: () => void
}

function makeCommitter(link: CommitLink, lost: (cause: Error) => void, limits: StoreTimeLimits): Committer {
  const waiting: WaitingWrite[] = []
  const background: WaitingWrite[] = []
  let committing: WaitingWrite[] = []
  /** When the batch in progress was sent to the worker. */
  let sentAt = 0
  let watch: NodeJS.Timeout | null = null
  let scheduled = false
  let closing: (() => void) | null = null
  let ended: Error | null = null
  let head: AuditHead | null = null
  let commits = 0
  const listeners: AuditListener[] = []

  link.onReply((end) => {
    if ('lost' in end) {
      committing = []
      fail(new Error(`the embedded database failed: ${end.lost}`))
      return
    }
    commits++
    const { audit } = end
    if (audit.after.seq > 0) head = audit.after
    if (audit.after.seq > audit.before.seq) for (const listener of listeners) listener(audit)
    // A commit of other threads.
    if (end.ends === null) return
    const batch = committing
    committing = []
    resolveWrites(batch, end.ends)
    rejectLate()
    if (waiting.length + background.length > 0) send()
    else closing?.()
  })
  link.onFailed((err) => fail(new Error('the commit worker failed', { cause: err })))
  link.onEnded(() => {
    if (closing === null || committing.length > 0) fail(new Error('the commit worker ended'))
    closing?.()
  })

  return {
    write,
    setAuditKey: (auditKey) => link.post({ auditKey }),
    auditHead: () => head,
    watchAudit: (listener) => void listeners.push(listener),
    waitingWrites: () => waiting.length,
    commitCount: () => commits,
    close,
  }

  function write(name: string, input: unknown): Promise<unknown> {
    if (ended !== null || closing !== null) return Promise.reject(new StoreUnavailable('the store is closed', { cause: ended }))
    if (isStuck()) return Promise.reject(new StoreUnavailable(`the disk has not confirmed a commit for ${stuckForMs()} ms`))
    if (waiting.length >= maxWaiting) return Promise.reject(new StoreOverloaded(`${maxWaiting} writes are waiting`))
    watch ??= setInterval(rejectLate, limits.writeMs / 20).unref()
    return new Promise((resolve, reject) => {
      const queue = backgroundWrites.has(name) ? background : waiting
      queue.push({ transaction: { name, input: ownBytes(input) }, since: performance.now(), resolve, reject })
      if (committing.length > 0 || scheduled) return
      // At the end of this turn of the event loop, so that all its writes are one batch.
      scheduled = true
      setImmediate(() => {
        scheduled = false
        if (committing.length === 0 && waiting.length + background.length > 0) send()
      })
    })
  }

  function send(): void {
    if (ended !== null) return
    committing = isBackgroundNext() ? background.splice(0, 1) : waiting.splice(0, maxBatchSize)
    sentAt = performance.now()
    link.post(committing.map(({ transaction }) => transaction))
  }

  /** Under a load of calls that never ends it waits for a moment, and not for ever. */
  function isBackgroundNext(): boolean {
    const [first] = background
    return first !== undefined && (waiting.length === 0 || performance.now() - first.since >= maxBackgroundWaitMs)
  }

  function stuckForMs(): number {
    return committing.length === 0 ? 0 : Math.round(performance.now() - sentAt)
  }

  function isStuck(): boolean {
    return stuckForMs() >= limits.stuckMs
  }

  /** The writes of the batch in progress stay in it: what the worker reports later still moves the audit's head. */
  function rejectLate(): void {
    const now = performance.now()
    // Once the store is lost or closed, what is in progress stays unanswered.
    if (ended !== null) {
      stopWatch()
      return
    }
    for (const { since, reject } of committing) {
      if (now - since >= limits.writeMs) reject(new StoreOutcomeUnknown('the disk did not confirm the commit in time'))
    }
    const waitMs = isStuck() ? limits.stuckMs : limits.queueMs
    for (const queue of [waiting, background]) {
      const inTime = queue.findIndex(({ since }) => now - since < waitMs)
      for (const { reject } of queue.splice(0, inTime === -1 ? queue.length : inTime)) {
        reject(new StoreUnavailable(`the write waited for ${waitMs} ms`))
      }
    }
    if (waiting.length + background.length + committing.length === 0) stopWatch()
  }

  function stopWatch(): void {
    if (watch !== null) clearInterval(watch)
    watch = null
  }

  function fail(cause: Error): void {
    if (ended !== null) return
    ended = cause
    link.abandon()
    // The outcome of the batch is unknown and the service exits: its promises stay pending. The waiting writes were not started.
    for (const { reject } of [...waiting.splice(0), ...background.splice(0)]) reject(new StoreUnavailable('the store is lost', { cause }))
    lost(cause)
  }

  async function close(deadlineMs: number): Promise<void> {
    if (closing !== null || ended !== null) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      closing = resolve
      if (committing.length + waiting.length + background.length === 0) resolve()
      else timer = setTimeout(resolve, deadlineMs)
    })
    clearTimeout(timer)
    for (const { reject } of [...waiting.splice(0), ...background.splice(0)]) reject(new StoreUnavailable('the store is closed'))
    link.post(null)
    if (await isDoneWithin(deadlineMs, link.exited)) return
    // The disk may be blocking it; what it still commits is not acknowledged.
    ended = new StoreOutcomeUnknown('the commit worker did not end in time')
    link.abandon()
    throw ended
  }
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
  return fault === 'busy' || fault === 'moved' ? new StoreUnavailable(failed) : new Error(failed)
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
const maxBackgroundWaitMs = 100
