import { scrypt } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** What is hashed: scrypt with r 8 and p 1, as OWASP recommends, and 2^cost as N. */
export interface SlowHashOrder {
  readonly password: string
  readonly salt: Uint8Array
  readonly cost: number
  readonly length: number
}

/** Derives a key. One at a time. */
export type SlowHash = (order: SlowHashOrder) => Promise<Buffer>

/**
 * Hashes in a thread of a low priority, so that sign-ins take only the processor time that the API leaves, and the thread pool stays free. The thread starts
 * with the first hash and does not keep the process running. A hash that costs next to nothing, as in tests, is not worth a thread.
 */
export function makeSlowHash(): SlowHash {
  let worker: Worker | null = null
  return async (order) => {
    if (order.cost < costOfThread) return hashInPool(order)
    worker ??= startWorker(() => (worker = null))
    return replyOf(worker, order)
  }
}

/** For several callers: each waits for those before it. A hash takes 128 MB. */
export function oneAtATime(derive: SlowHash): SlowHash {
  let last: Promise<unknown> = Promise.resolve()
  return (order) => {
    const derived = last.then(() => derive(order))
    last = derived.catch(() => undefined)
    return derived
  }
}

function startWorker(ended: () => void): Worker {
  const worker = new Worker(new URL('slow-hash-worker.ts', import.meta.url))
  worker.unref()
  worker.on('error', ended)
  worker.on('exit', ended)
  return worker
}

function replyOf(worker: Worker, order: SlowHashOrder): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      worker.off('message', take)
      worker.off('error', fail)
      worker.off('exit', end)
      worker.unref()
    }
    const take = (key: Uint8Array): void => {
      leave()
      resolve(Buffer.from(key))
    }
    const fail = (err: unknown): void => {
      leave()
      reject(new Error('the thread that hashes passwords failed', { cause: err }))
    }
    const end = (): void => fail(new Error('it ended'))
    worker.on('message', take)
    worker.on('error', fail)
    worker.on('exit', end)
    // A hash in progress keeps the process running.
    worker.ref()
    worker.postMessage(order)
  })
}

function hashInPool({ password, salt, cost, length }: SlowHashOrder): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) }
    scrypt(password, salt, length, options, (err, key) => (err === null ? resolve(key) : reject(err)))
  })
}

/** 2^13: some 30 ms. */
const costOfThread = 13
