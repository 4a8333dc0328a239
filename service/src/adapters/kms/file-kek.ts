import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { KekError, type Kek } from '@tessera/vault/kek'

import type { Adapter } from '../adapter.ts'

/** A key encryption key in a file of the data folder, for development and tests. */
export const fileKek: Adapter<Promise<Kek>> = {
  name: 'file',
  isForTestOnly: true,
  settings: {},
  create: ({ dataFolder }) => openFileKek(join(dataFolder, fileKekName)),
}

/** The file's name in the data folder. */
export const fileKekName = 'development.kek'

/**
 * A KEK in a file of this machine, for development and tests: whoever reads the file holds the keys, and `main.ts` refuses it in production.
 * Made with fresh random bytes when it is not there. Throws `KekError` when others can read the file or it is not as it was written.
 */
export async function openFileKek(path: string): Promise<Kek> {
  const bytes = (await readKeyFile(path)) ?? (await makeKeyFile(path))
  const raw = bytes.subarray(magic.length, magic.length + keyBytes)
  const key = createSecretKey(raw)
  const id = `file-${checkOf(raw).toString('hex')}`
  bytes.fill(0)
  return Object.freeze<Kek>({
    id,
    kind: 'development-file',
    wrap: async (plain, associated) => wrap(key, plain, associated),
    unwrap: async (wrapped, associated) => unwrap(key, wrapped, associated),
  })
}

/** version(1) nonce(12) ciphertext tag(16), AES-256-GCM. */
function wrap(key: KeyObject, plain: Uint8Array, associated: Uint8Array): Uint8Array {
  const nonce = randomFillSync(new Uint8Array(nonceBytes))
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated)
  return Uint8Array.from(Buffer.concat([Uint8Array.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
}

function unwrap(key: KeyObject, wrapped: Uint8Array, associated: Uint8Array): Uint8Array {
  if (wrapped.length < 1 + nonceBytes + tagBytes || wrapped[0] !== version)
    throw new KekError('this is no key that the development KEK wrapped')
  const nonce = wrapped.subarray(1, 1 + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(associated)
  decipher.setAuthTag(wrapped.subarray(wrapped.length - tagBytes))
  const plain = decipher.update(wrapped.subarray(1 + nonceBytes, wrapped.length - tagBytes))
  try {
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw new KekError('the development KEK does not open this wrapped key')
  }
}

/** The file's bytes, checked; null when there is no file. The caller wipes them. */
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
  if (!stat.isFile()) throw new KekError(`the development KEK ${path} is not a plain file`)
  if (hasModes && (stat.mode & 0o077) !== 0) {
    throw new KekError(
      `the development KEK ${path} can be read by others (mode ${(stat.mode & 0o777).toString(8)}): chmod 600 it, or make a new one if it was`,
    )
  }
  const bytes = Buffer.allocUnsafeSlow(fileBytes + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  if (bytesRead === fileBytes && isWhole(bytes.subarray(0, fileBytes))) return bytes
  bytes.fill(0)
  throw new KekError(`the development KEK ${path} is not as it was written: put back the right file; without it no key and no card opens`)
}

function isWhole(bytes: Buffer): boolean {
  const raw = bytes.subarray(magic.length, magic.length + keyBytes)
  return bytes.subarray(0, magic.length).equals(magic) && timingSafeEqual(bytes.subarray(magic.length + keyBytes), checkOf(raw))
}

/** Writes the file whole beside its place and links it there, so that of two who start at once one wins and no half file is ever seen. */
async function makeKeyFile(path: string): Promise<Buffer> {
  const raw = randomFillSync(Buffer.allocUnsafeSlow(keyBytes))
  const bytes = Buffer.allocUnsafeSlow(fileBytes)
  bytes.set(magic)
  bytes.set(raw, magic.length)
  bytes.set(checkOf(raw), magic.length + keyBytes)
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
  if (theirs === null) throw new KekError(`the development KEK ${path} vanished while it was being made`)
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

/** The file's name must survive a crash too. Windows keeps names by itself and opens no folders. */
async function syncFolder(folder: string): Promise<void> {
  if (!hasModes) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** First 8 bytes of SHA-256 over label and key: finds a damaged file, and names the key without telling it. */
function checkOf(raw: Uint8Array): Buffer {
  return createHash('sha256').update('tessera development KEK check').update(raw).digest().subarray(0, checkBytes)
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
}

const hasModes = process.platform !== 'win32'
const magic = Buffer.from('Tessera development KEK, never for production\n')
const keyBytes = 32
const checkBytes = 8
const fileBytes = magic.length + keyBytes + checkBytes
const version = 1
const nonceBytes = 12
const tagBytes = 16
