import { Worker } from 'node:worker_threads'
import type { Answer, Ask, UnitName, Write } from '../questions/units.ts'
import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { BatchEnd, UnitEnd } from './batch.ts'
import type { CommitWorkerStart } from './commit-worker.ts'
import { ownBytes } from './own-bytes.ts'

/** Gathers writes and has them committed by the worker, one batch at a time; the next batch gathers while one commits. */
export interface Committer {
  /** Resolves after COMMIT. */
  write<N extends UnitName>(name: N, ask: Ask<N>): Promise<Answer<N>>
  close(deadlineMs: number): Promise<void>
}

interface Waiting {
  readonly write: Write
  readonly resolve: (answer: never) => void
  readonly reject: (err: Error) => void
}

/**
 * Starts the worker. `lost` is called, once, when it cannot be known what is durable; nothing is answered from then on. `program` is what the
 * worker runs.
 */
export async function startCommitter(
  start: CommitWorkerStart,
  lost: (cause: Error) => void,
  program: URL = commitWorker,
): Promise<Committer> {
  const worker = new Worker(program, { workerData: start, stdout: false, stderr: false })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await ready(worker)
  const gathering: Waiting[] = []
  let committing: Waiting[] = []
  let scheduled = false
  let closing: (() => void) | null = null
  let ended: Error | null = null

  worker.on('message', (end: BatchEnd) => {
    const batch = committing
    committing = []
    if ('lost' in end) {
      fail(new Error(`the embedded database failed: ${end.lost}`))
      return
    }
    answer(batch, end.ends)
    if (gathering.length > 0) send()
    else closing?.()
  })
  worker.on('error', (err) => fail(new Error('the commit worker failed', { cause: err })))
  worker.on('exit', () => {
    if (closing === null || committing.length > 0) fail(new Error('the commit worker ended'))
    closing?.()
  })

  return { write, close }

  function write<N extends UnitName>(name: N, ask: Ask<N>): Promise<Answer<N>> {
    if (ended !== null || closing !== null) return Promise.reject(new StoreUnavailable('the store is closed', { cause: ended }))
    if (gathering.length >= WAITING_MAX) return Promise.reject(new StoreOverloaded(`${WAITING_MAX} writes are waiting`))
    return new Promise<Answer<N>>((resolve, reject) => {
      // The name and what is asked belong together by this function's type.
      gathering.push({ write: { name, ask: ownBytes(ask) } as Write, resolve, reject })
      if (committing.length > 0 || scheduled) return
      // At the end of this turn, so that all its writes are one batch.
      scheduled = true
      setImmediate(() => {
        scheduled = false
        if (committing.length === 0 && gathering.length > 0) send()
      })
    })
  }

  function send(): void {
    if (ended !== null) return
    committing = gathering.splice(0, BATCH_MAX)
    worker.postMessage(committing.map(({ write }) => write))
  }

  function fail(cause: Error): void {
    if (ended !== null) return
    ended = cause
    void worker.terminate()
    // Their outcome is not known and the service ends: they are never answered. Those behind were not begun.
    for (const { reject } of gathering.splice(0)) reject(new StoreUnavailable('the store is lost', { cause }))
    lost(cause)
  }

  async function close(deadlineMs: number): Promise<void> {
    if (closing !== null || ended !== null) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      closing = resolve
      if (committing.length === 0 && gathering.length === 0) resolve()
      else timer = setTimeout(resolve, deadlineMs)
    })
    clearTimeout(timer)
    for (const { reject } of gathering.splice(0)) reject(new StoreUnavailable('the store is closed'))
    worker.postMessage(null)
    if (await isDoneWithin(deadlineMs, exited)) return
    // The disk may be holding it; what it commits from here on has no answer.
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

function answer(batch: readonly Waiting[], ends: readonly UnitEnd[]): void {
  batch.forEach(({ resolve, reject }, at) => {
    const end = ends[at]
    if (end === undefined) reject(new Error('the commit worker answered fewer units than it was given'))
    else if ('failed' in end) reject(refusal(end))
    else resolve(end.answer as never)
  })
}

function refusal({ failed, fault }: Extract<UnitEnd, { failed: string }>): Error {
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

/** More than this wait for a batch: refused. At 25 k units a second this is a third of a second. */
const WAITING_MAX = 8192
const BATCH_MAX = 512
