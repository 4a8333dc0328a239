import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { SQLITE_FILE } from './sqlite.ts'

/** SHA-256 of a file, hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: readBytes }), hash)
  return hash.digest('hex')
}

/**
 * Puts a copy of a database into a data folder in place of the one that is there, whose files are moved into the folder `replaced-<name>` beside it. Only
 * while nothing uses it. After a crash the data folder has the one, the other or none, and the command can be repeated. Returns the folder of the former
 * files; null when there were none.
 */
export async function replaceDatabase(folder: string, copy: string, name: string): Promise<string | null> {
  const path = join(folder, SQLITE_FILE)
  const draft = `${path}.restoring`
  await rm(draft, { force: true })
  await pipeline(createReadStream(copy, { highWaterMark: readBytes }), createWriteStream(draft, { mode: 0o600, flush: true }))
  const former = join(folder, `replaced-${name}`)
  let isMoved = false
  // The database first: a write-ahead log without it is no database, and one beside another database would be taken for its own.
  for (const suffix of ['', '-wal', '-shm']) {
    if ((await stat(`${path}${suffix}`).catch(() => null)) === null) continue
    await mkdir(former, { recursive: true, mode: 0o700 })
    await rename(`${path}${suffix}`, join(former, `${SQLITE_FILE}${suffix}`))
    isMoved = true
  }
  await rename(draft, path)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
  return isMoved ? former : null
}

const readBytes = 1024 * 1024
