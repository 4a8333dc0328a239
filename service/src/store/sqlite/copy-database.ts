import { closeSync, fdatasyncSync, fsyncSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'

import { openReadOnly } from './connect.ts'
import { opening } from './fault.ts'

export interface CopyOptions {
  /** The copy waits so that it writes no more than this in a second. */
  readonly bytesPerSecond: number
  /** Called after each step. */
  readonly onProgress?: (copied: CopyProgress) => void
}

export interface CopyProgress {
  readonly bytes: number
  readonly totalBytes: number
}

/**
 * Copies a database that may be in use into a new file (0600) and syncs it. The copy is one moment of the database: it reads one snapshot, which a writer
 * does not disturb, while the write-ahead log grows until it has ended. It pauses twice as long as it works, so that it takes at most a third of a disk, and blocks
 * this thread meanwhile: for a process that does nothing else. Throws `StoreDamaged`, and errors of the system.
 */
export async function copyDatabase(from: string, to: string, { bytesPerSecond, onProgress }: CopyOptions): Promise<CopyProgress> {
  const descriptor = openSync(to, 'wx', 0o600)
  const source = opening(from, () => openSnapshot(from))
  try {
    const pageBytes = Number(source.prepare('pragma page_size').get()?.['page_size'])
    const throttle = makeThrottle(bytesPerSecond)
    let copied: CopyProgress = { bytes: 0, totalBytes: 0 }
    const report = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void => {
      copied = { bytes: (totalPages - remainingPages) * pageBytes, totalBytes: totalPages * pageBytes }
      // Otherwise the system writes gigabytes at once in the end, and every commit of the service waits for them.
      fdatasyncSync(descriptor)
      throttle(copied.bytes)
      onProgress?.(copied)
    }
    await backup(source, to, { rate: Math.max(1, Math.floor(stepBytes / pageBytes)), progress: report })
    fsyncSync(descriptor)
    syncFolderOf(to)
    const { size } = statSync(to)
    return { bytes: size, totalBytes: size }
  } finally {
    source.close()
    closeSync(descriptor)
  }
}

/** A connection in a read transaction: without one, each write of the service would begin the copy again. */
function openSnapshot(path: string): DatabaseSync {
  const db = openReadOnly(path, 5000)
  db.exec('begin')
  db.prepare('select count(*) from sqlite_schema').get()
  return db
}

/** Sleeps in this thread until the bytes copied so far are within the rate, and at least twice as long as the step has taken. */
function makeThrottle(bytesPerSecond: number): (bytes: number) => void {
  const startedAt = performance.now()
  let resumedAt = startedAt
  return (bytes) => {
    const now = performance.now()
    const dueAt = startedAt + (bytes / bytesPerSecond) * 1000
    sleep(Math.max(dueAt - now, pauseRatio * (now - resumedAt)))
    resumedAt = performance.now()
  }
}

function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Makes the entry of a new file durable: its content alone is not found after a power cut. */
export function syncFolderOf(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Some milliseconds of work, and of a commit of the service that waits for it. */
const stepBytes = 256 * 1024
const pauseRatio = 2
