import { createReadStream } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

import { makeCardNumberFinder } from './card-number-finder.ts'

/** One card number in a file, or in the name of a file or folder. */
export interface ScanFinding {
  readonly path: string
  /** Of the byte that holds its first digit; in the unpacked content of a gzip file. */
  readonly offset: number
  readonly masked: string
  readonly isGzip: boolean
  /** Whether the name has it, and not the content: `offset` is then that in the name. */
  readonly isName: boolean
}

export interface ScanResult {
  /** How many numbers there are, those that `onFinding` was not called for included. */
  readonly found: number
  readonly files: number
  readonly bytes: number
  /** What could not be read, or not to its end. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
  readonly isComplete: boolean
}

export interface ScanOptions {
  readonly onFinding: (finding: ScanFinding) => void
  /** Bytes that were read of those that there were at the start; null while they are counted, or unknown. */
  readonly onProgress: (done: number, total: number | null) => void
  readonly signal: AbortSignal
  /** What the path `-` reads. */
  readonly standardInput: () => Readable
}

/** Scans files and folders. Links are not followed, and what is no file is left out. */
export async function scanPaths(
  paths: readonly string[],
  { onFinding, onProgress, signal, standardInput }: ScanOptions,
): Promise<ScanResult> {
  const unreadable: { path: string; reason: string }[] = []
  let [found, files, bytes] = [0, 0, 0]
  const isStopped = (): boolean => signal.aborted
  const onUnreadable = (path: string, err: unknown): void => void unreadable.push({ path, reason: reasonOf(err) })
  const total = paths.includes('-') ? null : await countBytes(paths, signal)
  for (const path of paths) {
    if (path === '-') await scanOne('-', standardInput())
    else
      for await (const { file } of listFiles(path, { isNamed: true, onUnreadable, onEntry: scanName }))
        await scanOne(file, createReadStream(file, { highWaterMark: chunkBytes }))
    if (isStopped()) break
  }
  return { found, files, bytes, unreadable, isComplete: !isStopped() }

  function scanName(path: string): void {
    const finder = makeCardNumberFinder()
    const numbers = [...finder.push(Buffer.from(basename(path))), ...finder.end()]
    for (const { offset, masked } of numbers) onFinding({ path, offset, masked, isGzip: false, isName: true })
    found += numbers.length
  }

  async function scanOne(path: string, stream: Readable): Promise<void> {
    if (isStopped()) return void stream.destroy()
    // A pipe that stays silent would never end by itself.
    const stop = (): void => void stream.destroy(new Error('stopped'))
    signal.addEventListener('abort', stop, { once: true })
    try {
      await scanStream(path, stream)
      files++
    } catch (err) {
      if (!isStopped()) onUnreadable(path, err)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async function scanStream(path: string, stream: Readable): Promise<void> {
    const finder = makeCardNumberFinder()
    const reportAll = (numbers: ReturnType<typeof finder.end>, isGzip: boolean): void => {
      for (const { offset, masked } of numbers) onFinding({ path, offset, masked, isGzip, isName: false })
      found += numbers.length
    }
    const counted = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
      for await (const chunk of source) {
        bytes += chunk.length
        onProgress(bytes, total)
        yield chunk
      }
    }
    const { isGzip, whole } = await peek(counted(stream))
    const search = async (source: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of source) reportAll(finder.push(chunk), isGzip)
      reportAll(finder.end(), isGzip)
    }
    if (isGzip) await pipeline(whole, createGunzip({ chunkSize: chunkBytes }), search, { signal })
    else await pipeline(whole, search, { signal })
  }
}

/** Whether it begins like a gzip file (RFC 1952), and all of it. */
async function peek(source: AsyncGenerator<Buffer, void>): Promise<{ isGzip: boolean; whole: AsyncGenerator<Buffer> }> {
  const first: Buffer[] = []
  while (Buffer.concat(first).length < 3) {
    const next = await source.next()
    if (next.done === true) break
    first.push(next.value)
  }
  const head = Buffer.concat(first)
  const whole = async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head
    yield* source
  }
  return { isGzip: head[0] === 0x1f && head[1] === 0x8b && head[2] === 8, whole: whole() }
}

interface ListFilesOptions {
  /** Named on the command line: what is neither file nor folder is an error there, and left out inside of a folder. */
  readonly isNamed: boolean
  readonly onUnreadable: (path: string, err: unknown) => void
  /** Called for every file, folder and link. */
  readonly onEntry: (path: string) => void
}

async function* listFiles(
  path: string,
  { isNamed, onUnreadable, onEntry }: ListFilesOptions,
): AsyncGenerator<{ file: string; size: number }> {
  try {
    const stats = await lstat(path)
    onEntry(path)
    if (stats.isFile()) yield { file: path, size: stats.size }
    else if (stats.isDirectory())
      for await (const { name } of await opendir(path)) yield* listFiles(join(path, name), { isNamed: false, onUnreadable, onEntry })
    else if (isNamed) onUnreadable(path, new Error(stats.isSymbolicLink() ? notFollowed : 'neither a file nor a folder'))
  } catch (err) {
    onUnreadable(path, err)
  }
}

async function countBytes(paths: readonly string[], signal: AbortSignal): Promise<number> {
  let total = 0
  for (const path of paths)
    for await (const { size } of listFiles(path, { isNamed: false, onUnreadable: () => undefined, onEntry: () => undefined })) {
      if (signal.aborted) return total
      total += size
    }
  return total
}

function reasonOf(err: unknown): string {
  const code = (err as { code?: unknown }).code
  if (typeof code === 'string') return reasonTexts[code] ?? code
  return err instanceof Error ? err.message : 'unknown'
}

const reasonTexts: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there (ENOENT)',
  EACCES: 'this user may not read it (EACCES)',
  Z_DATA_ERROR: 'it is no valid gzip file from here on (Z_DATA_ERROR)',
  Z_BUF_ERROR: 'the gzip file is cut off (Z_BUF_ERROR)',
}
const notFollowed = 'a link, and links are not followed: name what it points to'
const chunkBytes = 262_144
