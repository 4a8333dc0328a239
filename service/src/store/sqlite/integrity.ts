import { fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

import { StoreUnavailable } from '../store.ts'
import { isUnreadableNow, notDatabase, SQLITE_NOTADB } from './fault.ts'
import { locationOf } from './connect.ts'
import type { FileReply, FileReport } from './integrity-process.ts'

export interface FileReading {
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
  /** Whether requests are served meanwhile: the reading leaves the processor to them. */
  readonly isBesideRequests?: boolean
}

/**
 * Reads the whole database at a path, also while a service uses it: SQLite's integrity check, and the audit chains for missing entries. Changes nothing.
 * Takes some seconds for each gigabyte, in a process of its own: node:sqlite has no way to interrupt a query, and a thread in one cannot be ended, so a stop
 * would wait for it. Rejects with the reason of the signal as soon as it is aborted. Throws `StoreDamaged` for a file that is no database at all,
 * and `StoreUnavailable` when it cannot be read now, which says nothing of its pages.
 */
export async function readDatabaseFile(path: string, { signal, isBesideRequests = false }: FileReading = {}): Promise<FileReport> {
  signal?.throwIfAborted()
  const child = fork(program, [locationOf(path).href], {
    execArgv: ['--no-warnings'],
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    killSignal: 'SIGKILL',
  })
  const end = (): void => void child.kill('SIGKILL')
  signal?.addEventListener('abort', end, { once: true })
  // Also when this process ends without waiting for the check.
  process.once('exit', end)
  if (isBesideRequests && child.pid !== undefined) setPriority(child.pid, lowestPriority)
  try {
    const reply = await new Promise<FileReply>((resolve, reject) => {
      child.once('message', (message) => resolve(message as FileReply))
      child.once('error', reject)
      child.once('exit', (code, by) => reject(new Error(`the process that reads the database ended (${String(code ?? by)})`)))
    }).catch((err: unknown) => {
      signal?.throwIfAborted()
      throw err
    })
    if (!('failed' in reply)) return reply
    if (reply.code === SQLITE_NOTADB) throw notDatabase(path)
    if (isUnreadableNow(reply.code)) throw new StoreUnavailable(`${path} cannot be read now: ${reply.failed}`)
    return { tables: 0, damage: [reply.failed], gaps: [] }
  } finally {
    signal?.removeEventListener('abort', end)
    process.off('exit', end)
    end()
  }
}

/** nice(1). */
const lowestPriority = 19
const program = fileURLToPath(new URL('./integrity-process.ts', import.meta.url))
