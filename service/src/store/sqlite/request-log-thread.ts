import { Worker } from 'node:worker_threads'

import { StoreUnavailable } from '../store.ts'
import { isDoneWithin } from './done-within.ts'
import type { RequestLogMessage, RequestLogReply, RequestLogStart } from './request-log-worker.ts'

/** The thread that has the request log open. */
export interface RequestLogThread {
  /** Rejects with `StoreUnavailable` when the thread ends, or has too much to do. The caller limits the time. */
  post(message: RequestLogMessage): Promise<RequestLogReply>
  /** Ends the thread after what it was sent; after `ms` what it has not replied to is rejected. */
  end(ms: number): Promise<void>
}

export interface RequestLogThreadStart extends RequestLogStart {
  /** The worker's module. */
  readonly program: URL
  /** Called when the thread has ended, or is waited for no longer. */
  readonly onEnded: () => void
}

interface WaitingReply {
  readonly resolve: (reply: RequestLogReply) => void
  readonly reject: (err: Error) => void
}

/** Starts the thread. Messages that are posted meanwhile wait for it. */
export function startRequestLogThread({ program, onEnded, ...start }: RequestLogThreadStart): RequestLogThread {
  const worker = new Worker(program, { workerData: start, stdout: false, stderr: false })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  /** In the order of their messages, and so of their replies. */
  const waiting: WaitingReply[] = []
  let ended: Error | null = null

  worker.on('message', (reply: RequestLogReply) => {
    waiting.shift()?.resolve(reply)
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', (cause) => fail(new StoreUnavailable('the thread of the request log failed', { cause })))
  worker.on('exit', () => fail(new StoreUnavailable('the thread of the request log ended')))
  return { post, end }

  async function post(message: RequestLogMessage): Promise<RequestLogReply> {
    if (ended !== null) throw ended
    if (waiting.length >= maxWaiting) throw new StoreUnavailable('the disk of the request log does not respond')
    return new Promise<RequestLogReply>((resolve, reject) => {
      worker.ref()
      waiting.push({ resolve, reject })
      worker.postMessage(message)
    })
  }

  async function end(ms: number): Promise<void> {
    if (ended !== null) return
    worker.ref()
    worker.postMessage(null)
    if (await isDoneWithin(ms, exited)) return
    fail(new StoreUnavailable('the thread of the request log did not end in time'))
    // The disk may be blocking it, and then it cannot be terminated either.
    void worker.terminate()
    worker.unref()
  }

  function fail(err: Error): void {
    if (ended !== null) return
    ended = err
    for (const { reject } of waiting.splice(0)) reject(err)
    onEnded()
  }
}

/** Eight lists that read 32 segments side by side. */
const maxWaiting = 256
