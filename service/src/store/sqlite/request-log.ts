import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { DamagedRequestLog, RequestLogStore } from '../request-log-store.ts'
import { deleteSegmentsBefore, requestSegmentsTable, sumOfCalls, type SegmentDeletion } from '../request-segments.ts'
import type { Row } from '../statement.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { type StoreTimeLimits, storeTimeLimits, untilDeadline } from '../time-limits.ts'
import { isDoneWithin } from './done-within.ts'
import { isFileDamaged, isUnreadableNow, primaryCodeOf, SQLITE_FULL, SQLITE_IOERR } from './fault.ts'
import { type RequestLogThread, startRequestLogThread } from './request-log-thread.ts'
import type { RequestLogMessage, RequestLogReply } from './request-log-worker.ts'

export interface SqliteRequestLogOptions {
  /** The data folder. */
  readonly folder: string
  /** Largest size of the file in pages of 4 KiB; no limit when absent. */
  readonly maxPages?: number | undefined
  /** Told when a damaged file was moved, and an empty one takes its place. */
  readonly onDamaged: (damaged: DamagedRequestLog) => void
  readonly limits?: Pick<StoreTimeLimits, 'readMs' | 'writeMs'>
  /** The module of the thread. */
  readonly program?: URL
}

/**
 * The request log of the embedded store: `requests.db` in the data folder, opened by a thread of its own when the first call is recorded or read. Every
 * call ends within `limits`, whatever the disk does.
 */
export function makeSqliteRequestLog(options: SqliteRequestLogOptions): RequestLogStore {
  const { folder, maxPages = null, onDamaged, limits = storeTimeLimits, program = requestLogWorker } = options
  const path = requestLogPathOf(folder)
  const damagedPath = `${path}.damaged`
  let thread: RequestLogThread | null = null
  /** The write that the thread has not replied to. */
  let writing: Promise<void> | null = null
  let moving: Promise<void> | null = null
  let movedAt = -Infinity
  let isOpen = true

  return Object.freeze<RequestLogStore>({
    file: path,
    async append(segments) {
      await write({ rows: segments.map(requestSegmentsTable.toValues) })
    },
    async read({ statement, values, map }) {
      const deadline = performance.now() + limits.readMs
      return map(await untilDeadline(send({ query: { statement, values } }), deadline, 'reading the request log'))
    },
    deletePage,
    async deleteBefore(at, stopping) {
      await deleteDamagedBefore(at)
      let deleted = 0
      for (let page = -1; page !== 0 && !stopping.aborted; deleted += page) page = await deletePage(deleteSegmentsBefore(at))
      return deleted
    },
    close,
  })

  async function deletePage({ statement, values }: SegmentDeletion): Promise<number> {
    return sumOfCalls(await write({ query: { statement, values } }))
  }

  /** One at a time: the caller of a write that ended late sends it again, and while the disk does not respond those copies would wait behind it. */
  async function write(message: RequestLogMessage): Promise<readonly Row[]> {
    const deadline = performance.now() + limits.writeMs
    while (writing !== null)
      if (!(await isDoneWithin(deadline - performance.now(), writing)))
        throw new StoreUnavailable('the disk of the request log has not confirmed the write before')
    const sent = send(message)
    const done = sent.then(ignore, ignore).then(() => void (writing = null))
    writing = done
    if (await isDoneWithin(deadline - performance.now(), done)) return sent
    throw new StoreOutcomeUnknown('the disk of the request log did not confirm the write in time')
  }

  /** What a damaged file makes impossible is done once more, on the empty one in its place. */
  async function send(message: RequestLogMessage): Promise<readonly Row[]> {
    const reply = await post(message)
    if (!('failed' in reply)) return toRows(reply)
    if (!isFileDamaged(reply.code) || performance.now() - movedAt < minUseMs) throw toError(reply)
    await setAside(new Error(reply.failed))
    const again = await post(message)
    if ('failed' in again) throw toError(again)
    return toRows(again)
  }

  async function post(message: RequestLogMessage): Promise<RequestLogReply> {
    if (moving !== null) await moving
    if (!isOpen) throw new StoreUnavailable('the request log is closed')
    thread ??= startThread()
    return thread.post(message)
  }

  function startThread(): RequestLogThread {
    const started = startRequestLogThread({
      path,
      maxPages,
      program,
      onEnded: () => {
        if (thread === started) thread = null
      },
    })
    return started
  }

  /** Once for all messages that found the damage: those behind the first wait for it. */
  async function setAside(cause: Error): Promise<void> {
    moving ??= moveAway(cause).finally(() => (moving = null))
    return moving
  }

  /** The WAL first: beside an empty file it would be read as the one of that file. */
  async function moveAway(cause: Error): Promise<void> {
    try {
      await thread?.end(limits.writeMs)
      for (const suffix of ['-wal', '']) await rm(`${damagedPath}${suffix}`, { force: true })
      await rename(`${path}-wal`, `${damagedPath}-wal`).catch(ignoreMissing)
      await rename(path, damagedPath)
      await rm(`${path}-shm`, { force: true })
    } catch (err) {
      throw new StoreUnavailable(`${path} is damaged (${cause.message}) and cannot be moved`, { cause: err })
    }
    movedAt = performance.now()
    onDamaged({ file: damagedPath, cause })
  }

  /** The file that was set aside has calls as well: it goes when the newest of them are too old. */
  async function deleteDamagedBefore(at: number): Promise<void> {
    const files = [damagedPath, `${damagedPath}-wal`]
    const changedAt = await Promise.all(files.map(async (file) => (await stat(file).catch(ignoreMissing))?.mtimeMs ?? -Infinity))
    if (Math.max(...changedAt) < at) for (const file of files) await rm(file, { force: true })
  }

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    if (moving !== null) await isDoneWithin(limits.writeMs, moving.catch(ignore))
    await thread?.end(limits.writeMs)
  }
}

/** The path of the request log in a data folder. */
export function requestLogPathOf(folder: string): string {
  return join(folder, REQUEST_LOG_FILE)
}

function ignore(): void {}

function ignoreMissing(err: unknown): null {
  if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return null
  throw err
}

function toError({ failed, code }: { readonly failed: string; readonly code: number | null }): Error {
  const primary = primaryCodeOf(code)
  if (primary === SQLITE_FULL) return new StoreFull(failed)
  // An I/O error may pass: what was read or written is not wrong for it.
  return primary === SQLITE_IOERR || isUnreadableNow(primary) ? new StoreUnavailable(failed) : new Error(`the request log: ${failed}`)
}

function toRows({ names, rows }: Exclude<RequestLogReply, { readonly failed: string }>): Row[] {
  return rows.map((values) => {
    const row: Record<string, Row[string]> = {}
    for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = values[i] ?? null
    return row
  })
}

export const REQUEST_LOG_FILE = 'requests.db'
const requestLogWorker = new URL('./request-log-worker.ts', import.meta.url)
/** A new file that is damaged at once is not the fault of the file. */
const minUseMs = 60_000
