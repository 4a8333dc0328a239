import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { randomPublic } from '@tessera/vault/random'

/** One value in a file of the data folder. It is replaced as a whole: after a crash the file has the value before or the new one. */
export interface ValueFile {
  /** Null when there is no file. */
  read(): Promise<Uint8Array | null>
  /** Durable when it resolves. */
  save(value: Uint8Array): Promise<void>
}

export function makeValueFile(folder: string, name: string): ValueFile {
  const path = join(folder, name)
  return Object.freeze({ read, save })

  async function read(): Promise<Uint8Array | null> {
    try {
      return await readFile(path)
    } catch (err) {
      if (isMissing(err)) return null
      throw err
    }
  }

  async function save(value: Uint8Array): Promise<void> {
    // A name of its own: a command beside the service may save at the same time.
    const temporary = `${path}.${Buffer.from(randomPublic(8)).toString('hex')}.new`
    try {
      await writeDurably(temporary, value)
      await rename(temporary, path)
    } catch (err) {
      await rm(temporary, { force: true })
      throw err
    }
    const directory = await open(dirname(path), 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }
}

async function writeDurably(path: string, value: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(value)
    await file.sync()
  } finally {
    await file.close()
  }
}

function isMissing(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'ENOENT'
}
