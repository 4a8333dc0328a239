import { createHash, createSecretKey, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { makeAesKek } from '@tessera/vault/aes-kek'
import { KekError, KekMissingError, type Kek } from '@tessera/vault/kek'

import type { Adapter } from '../adapter.ts'
import type { KekAdapterDependencies } from './kek.ts'

/** A key encryption key in a file of the data folder, for development and tests. */
export const fileKek: Adapter<Promise<Kek>, KekAdapterDependencies> = {
  name: 'file',
  isForTestOnly: true,
  settings: {},
  create: ({ dataFolder, mayCreate }) => openFileKek(join(dataFolder, fileKekName), mayCreate),
}

/** The file's name in the data folder. */
export const fileKekName = 'development.kek'

/**
 * Opens a KEK stored in a file of this machine, for development and tests: anyone who can read the file has the keys, so production refuses it.
 * Creates the file with random bytes when it does not exist and `mayCreate` is true; throws `KekMissingError` when it is false. Throws `KekError` when
 * other users can read the file, or when it is damaged.
 */
export async function openFileKek(path: string, mayCreate = true): Promise<Kek> {
  const bytes = (await readKeyFile(path)) ?? (mayCreate ? await createKeyFile(path) : null)
  if (bytes === null) throw new KekMissingError(`the development KEK ${path} does not exist`)
  const raw = bytes.subarray(magic.length, magic.length + keyBytes)
  const key = createSecretKey(raw)
  const id = `file-${checksumOf(raw).toString('hex')}`
  bytes.fill(0)
  return makeAesKek({ id, kind: 'development-file', key, name: 'the development KEK' })
}

/** Returns the file's bytes after checking them; null when there is no file. The caller wipes them. */
async function readKeyFile(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return null
    throw new KekError(`the development KEK ${path} cannot be opened (${codeOf(cause)})`, { cause })
  })
  if (file === null) return null
  try {
    return await readChecked(file, path)
  } finally {
    await file.close()
  }
}

async function readChecked(file: FileHandle, path: string): Promise<Buffer> {
  const stat = await file.stat()
  if (!stat.isFile()) throw new KekError(`the development KEK ${path} is not a regular file`)
  if (hasModes && (stat.mode & 0o077) !== 0) {
    throw new KekError(
      `the development KEK ${path} can be read by other users (mode ${(stat.mode & 0o777).toString(8)}): chmod 600 it, or replace it if it was read`,
    )
  }
  const bytes = Buffer.allocUnsafeSlow(fileBytes + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  if (bytesRead === fileBytes && isIntact(bytes.subarray(0, fileBytes))) return bytes
  bytes.fill(0)
  throw new KekError(`the development KEK ${path} is damaged: restore the right file; without it no key and no card can be opened`)
}

function isIntact(bytes: Buffer): boolean {
  const raw = bytes.subarray(magic.length, magic.length + keyBytes)
  return bytes.subarray(0, magic.length).equals(magic) && timingSafeEqual(bytes.subarray(magic.length + keyBytes), checksumOf(raw))
}

/** Writes a complete draft beside the path and links it there: of two processes that start at once one wins, and no incomplete file is ever visible. */
async function createKeyFile(path: string): Promise<Buffer> {
  const raw = randomFillSync(Buffer.allocUnsafeSlow(keyBytes))
  const bytes = Buffer.allocUnsafeSlow(fileBytes)
  bytes.set(magic)
  bytes.set(raw, magic.length)
  bytes.set(checksumOf(raw), magic.length + keyBytes)
  raw.fill(0)
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
  await writeDurably(draft, bytes)
  const isOurs = await link(draft, path)
    .then(
      () => true,
      (cause: unknown) => {
        if (codeOf(cause) === 'EEXIST') return false
        throw cause
      },
    )
    .finally(() => unlink(draft))
  await syncFolder(dirname(path))
  if (isOurs) return bytes
  bytes.fill(0)
  const theirs = await readKeyFile(path)
  if (theirs === null) throw new KekError(`the development KEK ${path} disappeared while it was being created`)
  return theirs
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the file's directory entry durable. Windows does so by itself, and cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (!hasModes) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** First 8 bytes of SHA-256 over label and key: detects a damaged file, and identifies the key without revealing it. */
function checksumOf(raw: Uint8Array): Buffer {
  return createHash('sha256').update('tessera development KEK check').update(raw).digest().subarray(0, checksumBytes)
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
}

const hasModes = process.platform !== 'win32'
const magic = Buffer.from('Tessera development KEK, never for production\n')
const keyBytes = 32
const checksumBytes = 8
const fileBytes = magic.length + keyBytes + checksumBytes
