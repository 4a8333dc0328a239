import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'

import { syncFolderOf } from '../../store/sqlite/copy-database.ts'

/** What the name of an encrypted file ends with. */
export const encryptedSuffix = '.age'

/** The file is encrypted to none of these identities, is damaged, or is not one of age. */
export class NotDecrypted extends Error {}

/** Who can read a file that is encrypted to them: public keys of age (X25519, or hybrid with ML-KEM), as `age-keygen` prints them. */
export interface BackupRecipients {
  readonly encrypter: Encrypter
  readonly count: number
}

/** The recipients of a text, between commas or on lines; lines after # are comments. Throws an error that names the word, which is public. */
export function parseRecipients(text: string): BackupRecipients {
  const words = listWords(text)
  const encrypter = new Encrypter()
  for (const word of words) {
    if (word.startsWith('AGE-SECRET-KEY-'))
      throw new Error('a secret key (AGE-SECRET-KEY-…) stands where a recipient belongs, which begins with age1')
    try {
      encrypter.addRecipient(word)
    } catch (cause) {
      throw new Error(`"${word.slice(0, 100)}" is no recipient of age: it begins with age1`, { cause })
    }
  }
  if (words.length === 0) throw new Error('no recipient is named')
  return { encrypter, count: words.length }
}

/** The identities of a file, as `age-keygen` writes it. Throws an error without their text. */
export function parseIdentities(text: string): Decrypter {
  const words = listWords(text)
  const decrypter = new Decrypter()
  for (const [at, word] of words.entries()) {
    try {
      decrypter.addIdentity(word)
    } catch (cause) {
      throw new Error(`its key ${String(at + 1)} is no identity of age: it begins with AGE-SECRET-KEY-`, { cause })
    }
  }
  if (words.length === 0) throw new Error('it has no identity')
  return decrypter
}

function listWords(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(/[\s,]+/))
    .filter((word) => word !== '')
}

/** Writes a new file (0600), encrypted and synced, with its folder. `pace` is awaited after each part, with the bytes so far. */
export async function encryptFile(
  from: string,
  to: string,
  { encrypter }: BackupRecipients,
  pace: (bytes: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const source = Readable.toWeb(Readable.from(readPaced(from, pace))) as ReadableStream<Uint8Array>
  const encrypted = await encrypter.encrypt(source)
  await pipeline(Readable.fromWeb(encrypted as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(to, newFile))
  syncFolderOf(to)
}

/** Writes a new file (0600) with the content of an encrypted one. Every part is authenticated before it is written. Throws `NotDecrypted`. */
export async function decryptFile(from: string, to: string, decrypter: Decrypter): Promise<void> {
  const source = Readable.toWeb(createReadStream(from)) as ReadableStream<Uint8Array>
  try {
    const decrypted = await decrypter.decrypt(source)
    await pipeline(Readable.fromWeb(decrypted as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(to, newFile))
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== undefined) throw err
    throw new NotDecrypted(err instanceof Error ? err.message : String(err), { cause: err })
  }
}

async function* readPaced(path: string, pace: (bytes: number) => Promise<void>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 18 }) as AsyncIterable<Buffer>) {
    yield chunk
    bytes += chunk.length
    await pace(bytes)
  }
}

const newFile = { flags: 'wx', mode: 0o600, flush: true } as const
