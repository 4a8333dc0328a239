import { Worker } from 'node:worker_threads'

import type { Row } from '../statement.ts'
import { StoreDamaged, StoreUnavailable } from '../store.ts'
import type { Read } from '../transaction.ts'
import { restoreFile, SQLITE_CORRUPT, SQLITE_NOTADB } from './fault.ts'
import { ownBytes } from './own-bytes.ts'
import type { ScanQuery, ScanReply, ScanWorkerStart } from './scan-worker.ts'

/** Reads in threads of its own, with connections that can only read. */
export interface Scanner {
  /** Throws `StoreDamaged` when a page of the file that the query needs is broken. */
  scan<T>(query: Read<T>): Promise<T>
  close(): Promise<void>
}

interface ScanThread {
  readonly worker: Worker
  readonly waiting: WaitingScan[]
  idle: NodeJS.Timeout | null
}

interface WaitingScan {
  readonly resolve: (reply: ScanReply) => void
  readonly reject: (err: Error) => void
}

/**
 * Threads are started when a query needs one, and end after half a minute without one. There are two, so that one query that takes long, such as a check of
 * all indexes, leaves one for the pages of other commands.
 */
export function makeScanner(path: string | URL): Scanner {
  const threads = new Set<ScanThread>()
  let isOpen = true
  return { scan, close }

  async function scan<T>({ statement, values, map }: Read<T>): Promise<T> {
    if (!isOpen) throw new StoreUnavailable('the store is closed')
    const reply = await send({ statement, values: ownBytes(values) })
    if (!('failed' in reply)) return map(toRows(reply))
    // Every statement is tested against the schema: one that does not fit it says that the stored schema is damaged.
    if (reply.code === SQLITE_CORRUPT || reply.code === SQLITE_NOTADB || /^no such (column|table)\b/.test(reply.failed))
      throw new StoreDamaged(`${String(path)} is damaged (${reply.failed})`, restoreFile)
    throw new Error(reply.failed)
  }

  function send(query: ScanQuery): Promise<ScanReply> {
    const thread = chooseThread()
    if (thread.idle !== null) clearTimeout(thread.idle)
    thread.idle = null
    thread.worker.ref()
    return new Promise((resolve, reject) => {
      thread.waiting.push({ resolve, reject })
      thread.worker.postMessage(query)
    })
  }

  function chooseThread(): ScanThread {
    const [least] = [...threads].sort((a, b) => a.waiting.length - b.waiting.length)
    if (least !== undefined && (least.waiting.length === 0 || threads.size >= maxThreads)) return least
    return startThread()
  }

  function startThread(): ScanThread {
    const workerData: ScanWorkerStart = path instanceof URL ? { url: path.href } : { path }
    const thread: ScanThread = { worker: new Worker(scanWorker, { workerData, stdout: false, stderr: false }), waiting: [], idle: null }
    threads.add(thread)
    thread.worker.on('message', (reply: ScanReply) => {
      thread.waiting.shift()?.resolve(reply)
      if (thread.waiting.length > 0) return
      thread.worker.unref()
      thread.idle = setTimeout(() => endThread(thread), idleMs).unref()
    })
    thread.worker.on('error', (cause) => fail(thread, new Error('the scan worker failed', { cause })))
    thread.worker.on('exit', () => fail(thread, new StoreUnavailable('the scan worker ended')))
    return thread
  }

  function endThread(thread: ScanThread): void {
    threads.delete(thread)
    thread.worker.postMessage(null)
  }

  function fail(thread: ScanThread, err: Error): void {
    threads.delete(thread)
    for (const { reject } of thread.waiting.splice(0)) reject(err)
  }

  /** A query in progress is waited for only a moment: SQLite cannot be interrupted, and it changes nothing. */
  async function close(): Promise<void> {
    isOpen = false
    await Promise.all([...threads].map(closeThread))
  }

  function closeThread({ worker, idle }: ScanThread): Promise<void> {
    if (idle !== null) clearTimeout(idle)
    worker.ref()
    worker.postMessage(null)
    return new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        void worker.terminate()
        resolve()
      }, closeMs)
      worker.once('exit', () => {
        clearTimeout(late)
        resolve()
      })
    })
  }
}

function toRows({ names, rows }: Exclude<ScanReply, { readonly failed: string }>): Row[] {
  return rows.map((values) => {
    const row: Record<string, Row[string]> = {}
    for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = values[i] ?? null
    return row
  })
}

const scanWorker = new URL('./scan-worker.ts', import.meta.url)
const maxThreads = 2
const idleMs = 30_000
const closeMs = 1000
