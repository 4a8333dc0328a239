import { Worker } from 'node:worker_threads'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import type { KeyStoreValues, NamedValue } from '../keys.ts'
import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store.ts'
import { storeTimeLimits } from '../time-limits.ts'
import { connectKeys, makeDatabaseFile } from './connect.ts'
import { isDoneWithin } from './done-within.ts'
import { opening } from './fault.ts'
import type { KeyRequest, KeyResult, KeyWorkerCall, KeyWorkerReply, KeyWorkerStart } from './key-worker.ts'
import { migrateSqlite, requireUnmoved } from './migrate.ts'

/**
 * Opens the store of wrapped data keys: a file of its own beside the cards' file, never in the same backup. A thread of its own waits for the file's
 * lock and for the disk. Every call ends within `timeoutMs`: `StoreUnavailable` when nothing was done, `StoreOutcomeUnknown` when a change may still
 * be, `StoreFull` without room. `program`: the worker's module.
 */
export async function openSqliteKeyStore(
  folder: string,
  timeoutMs = storeTimeLimits.writeMs,
  program = keyWorker,
): Promise<KeyStore & KeyStoreValues> {
  const path = makeDatabaseFile(folder, SQLITE_KEYS_FILE)
  const { db } = connectKeys(path, startBusyMs)
  try {
    opening(path, () => {
      requireUnmoved(db)
      migrateSqlite(db, 'keys')
    })
  } finally {
    db.close()
  }
  const worker = await startKeyWorker(program, { path, busyMs: (timeoutMs * 3) / 4 }, timeoutMs)

  return Object.freeze<KeyStore & KeyStoreValues>({
    list: () => worker.call({ kind: 'list' }) as Promise<WrappedKey[]>,
    insert: (key) => worker.call({ kind: 'insert', key }) as Promise<boolean>,
    setState: async (keyId, state) => {
      await worker.call({ kind: 'setState', keyId, state })
    },
    replaceWrapped: (before, after) => worker.call({ kind: 'replaceWrapped', before, after }) as Promise<boolean>,
    listValues: (prefix) => worker.call({ kind: 'listValues', prefix }) as Promise<NamedValue[]>,
    saveValue: async (name, value) => {
      await worker.call({ kind: 'saveValue', name, value })
    },
    close: () => worker.close(),
  })
}

interface KeyWorker {
  call(request: KeyRequest): Promise<KeyResult>
  close(): Promise<void>
}

interface PendingKeyCall {
  readonly resolve: (result: KeyResult) => void
  readonly reject: (err: Error) => void
}

async function startKeyWorker(program: URL, start: KeyWorkerStart, timeoutMs: number): Promise<KeyWorker> {
  const worker = new Worker(program, { workerData: start, stdout: false, stderr: false })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const pending = new Map<number, PendingKeyCall>()
  let lastId = 0
  let ended: Error | null = null
  await new Promise<void>((resolve, reject) => worker.once('message', () => resolve()).once('error', reject))

  const end = (cause: Error): void => {
    ended ??= cause
    for (const { reject } of pending.values()) reject(new StoreOutcomeUnknown('the key store is closed', { cause }))
    pending.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the thread of the key store ended')))
  worker.on('message', (reply: KeyWorkerReply) => {
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if ('result' in reply) call?.resolve(reply.result)
    else call?.reject(toKeyStoreError(reply))
  })
  // A process may end without closing its key store, as the commands of operators do.
  worker.unref()
  return { call, close }

  async function call(request: KeyRequest): Promise<KeyResult> {
    if (ended !== null) throw new StoreUnavailable('the key store is closed', { cause: ended })
    if (pending.size >= maxPendingCalls) throw new StoreOverloaded(`${maxPendingCalls} calls of the key store are waiting`)
    const id = ++lastId
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<KeyResult>((resolve, reject) => {
        pending.set(id, { resolve, reject })
        timer = setTimeout(() => reject(lateError(request, timeoutMs)), timeoutMs)
        worker.postMessage({ id, request } satisfies KeyWorkerCall)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async function close(): Promise<void> {
    if (ended !== null) return
    worker.ref()
    worker.postMessage(null)
    if (await isDoneWithin(timeoutMs, exited)) return
    // The disk may be blocking it, and then it cannot be terminated either.
    const late = new StoreOutcomeUnknown('the thread of the key store did not end in time')
    end(late)
    void worker.terminate()
    worker.unref()
    throw late
  }
}

/** The call stays in `pending` until the thread replies, so that calls of a disk that is stuck are bounded. */
function lateError(request: KeyRequest, timeoutMs: number): Error {
  const message = `the key store did not respond for ${timeoutMs} ms`
  return request.kind === 'list' || request.kind === 'listValues' ? new StoreUnavailable(message) : new StoreOutcomeUnknown(message)
}

function toKeyStoreError({ failed, fault }: Extract<KeyWorkerReply, { failed: string }>): Error {
  if (fault === 'full') return new StoreFull('no room for a data key', { cause: new Error(failed) })
  if (fault === 'moved') return new StoreUnavailable(failed)
  return fault === 'busy' ? new StoreUnavailable(`the key store is locked by another process (${failed})`) : new Error(failed)
}

const keyWorker = new URL('./key-worker.ts', import.meta.url)
export const SQLITE_KEYS_FILE = 'keys.db'
/** At a start nothing is answered yet, and another process may be migrating. */
const startBusyMs = 5000
const maxPendingCalls = 256
