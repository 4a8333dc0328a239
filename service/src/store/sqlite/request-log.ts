import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import type { DamagedRequestLog, RequestLogStore } from '../request-log-store.ts'
import { deleteSegmentsBefore, requestSegmentsTable, sumOfCalls, type SegmentDeletion } from '../request-segments.ts'
import type { Row } from '../statement.ts'
import { StoreFull, StoreUnavailable } from '../store.ts'
import { makeDatabaseFile } from './connect.ts'
import { isDoneWithin } from './done-within.ts'
import { isUnreadableNow, SQLITE_CORRUPT, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOTADB } from './fault.ts'
import type { RequestLogMessage, RequestLogReply, RequestLogStart } from './request-log-worker.ts'

export interface SqliteRequestLogOptions {
  /** The data folder. */
  readonly folder: string
  /** Largest size of the file in pages of 4 KiB; no limit when absent. */
  readonly maxPages?: number | undefined
  /** Told when a damaged file was moved, and an empty one takes its place. */
  readonly onDamaged: (damaged: DamagedRequestLog) => void
}

/** The thread, and the messages that it has not replied to, in their order. */
interface LogThread {
  readonly worker: Worker
  /** Resolves when it listens, so that its start does not count as time of the disk. */
  readonly ready: Promise<void>
  readonly waiting: WaitingReply[]
}

interface WaitingReply {
  readonly resolve: (reply: RequestLogReply) => void
  readonly reject: (err: Error) => void
}

/** The request log of the embedded store: `requests.db` in the data folder, opened by a thread of its own when the first call is recorded or read. */
export function makeSqliteRequestLog({ folder, maxPages, onDamaged }: SqliteRequestLogOptions): RequestLogStore {
  const path = requestLogPathOf(folder)
  let thread: LogThread | null = null
  let setting: Promise<void> | null = null
  let movedAt = -Infinity
  let isOpen = true

  return Object.freeze<RequestLogStore>({
    file: path,
    async append(segments) {
      await send({ rows: segments.map(requestSegmentsTable.toValues) })
    },
    async read({ statement, values, map }) {
      return map(await send({ query: { statement, values } }))
    },
    deletePage,
    async deleteBefore(at, stopping) {
      let deleted = 0
      for (let page = -1; page !== 0 && !stopping.aborted; deleted += page) page = await deletePage(deleteSegmentsBefore(at))
      return deleted
    },
    close,
  })

  async function deletePage({ statement, values }: SegmentDeletion): Promise<number> {
    return sumOfCalls(await send({ query: { statement, values } }))
  }

  /** What a damaged file makes impossible is done once more, on the empty one in its place. */
  async function send(message: RequestLogMessage): Promise<readonly Row[]> {
    const reply = await post(message)
    if (!('failed' in reply)) return toRows(reply)
    if (!isDamage(reply) || performance.now() - movedAt < minUseMs) throw toError(reply)
    await setAside(new Error(reply.failed))
    const again = await post(message)
    if ('failed' in again) throw toError(again)
    return toRows(again)
  }

  async function post(message: RequestLogMessage): Promise<RequestLogReply> {
    if (setting !== null) await setting
    if (!isOpen) throw new StoreUnavailable('the request log is closed')
    const { worker, waiting, ready } = (thread ??= startThread())
    if (waiting.length >= maxWaiting) throw new StoreUnavailable('the disk of the request log does not respond')
    worker.ref()
    const reply = new Promise<RequestLogReply>((resolve, reject) => {
      waiting.push({ resolve, reject })
      worker.postMessage(message)
    })
    reply.catch(() => undefined)
    await ready
    return replyInTime(reply)
  }

  function startThread(): LogThread {
    makeDatabaseFile(folder, REQUEST_LOG_FILE)
    const workerData: RequestLogStart = { path, maxPages: maxPages ?? null }
    const worker = new Worker(program, { workerData, stdout: false, stderr: false })
    const ready = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    ready.catch(() => undefined)
    const started: LogThread = { worker, ready, waiting: [] }
    const fail = (err: Error): void => {
      if (thread === started) thread = null
      for (const { reject } of started.waiting.splice(0)) reject(err)
    }
    worker.on('message', (reply: RequestLogReply | 'ready') => {
      if (reply === 'ready') return
      started.waiting.shift()?.resolve(reply)
      if (started.waiting.length === 0) worker.unref()
    })
    worker.on('error', (cause) => fail(new StoreUnavailable('the worker of the request log failed', { cause })))
    worker.on('exit', () => fail(new StoreUnavailable('the worker of the request log ended')))
    return started
  }

  /** Once for all messages that found the damage: those behind the first wait for it. */
  async function setAside(cause: Error): Promise<void> {
    if (setting !== null) return setting
    setting = moveAway(cause).finally(() => (setting = null))
    return setting
  }

  async function moveAway(cause: Error): Promise<void> {
    await endThread()
    const damaged = `${path}.damaged`
    await rm(damaged, { force: true })
    await rename(path, damaged)
    for (const suffix of ['-wal', '-shm']) await rm(`${path}${suffix}`, { force: true })
    movedAt = performance.now()
    onDamaged({ file: damaged, cause })
  }

  async function endThread(): Promise<void> {
    const ending = thread
    if (ending === null) return
    ending.worker.ref()
    const ended = new Promise<void>((resolve) => ending.worker.once('exit', () => resolve()))
    ending.worker.postMessage(null)
    if (!(await isDoneWithin(closeMs, ended))) await ending.worker.terminate()
    thread = null
  }

  async function close(): Promise<void> {
    if (!isOpen) return
    await setting
    isOpen = false
    await endThread()
  }
}

/** The path of the request log in a data folder. */
export function requestLogPathOf(folder: string): string {
  return join(folder, REQUEST_LOG_FILE)
}

function replyInTime(reply: Promise<RequestLogReply>): Promise<RequestLogReply> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('the disk of the request log did not respond in time')), replyMs).unref()
  })
  return Promise.race([reply, late]).finally(() => clearTimeout(timer))
}

/** A file that is locked or full, or a statement that failed, says nothing about its pages. */
function isDamage({ code }: { readonly code: number | null }): boolean {
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || code === SQLITE_IOERR
}

function toError({ failed, code }: { readonly failed: string; readonly code: number | null }): Error {
  if (code === SQLITE_FULL) return new StoreFull(failed)
  return code !== null && isUnreadableNow(code) ? new StoreUnavailable(failed) : new Error(`the request log: ${failed}`)
}

function toRows({ names, rows }: Exclude<RequestLogReply, { readonly failed: string }>): Row[] {
  return rows.map((values) => {
    const row: Record<string, Row[string]> = {}
    for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = values[i] ?? null
    return row
  })
}

export const REQUEST_LOG_FILE = 'requests.db'
const program = new URL('./request-log-worker.ts', import.meta.url)
/** A new file that is damaged at once is not the fault of the file. */
const minUseMs = 60_000
const maxWaiting = 64
/** No call waits for it; the first reply comes when the thread has started. */
const replyMs = 5000
const closeMs = 2000
