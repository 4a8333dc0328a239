import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

import { ExitError } from '../exits.ts'

import { formatCsvRow, parseCsv } from './csv.ts'
import type { MerchantFile } from './merchant-file.ts'

/** An issued password with its merchant. */
export interface IssuedPassword {
  readonly name: string
  readonly businessId: string
  readonly merchantId: string
  readonly password: string
}

/** Where the passwords of an import go. An import that was interrupted continues with the same file. */
export interface PasswordFile {
  /** The keys of merchants whose passwords are in it. */
  readonly done: ReadonlySet<string>
  /** The key of the merchant that was being created when an earlier import was interrupted; null: none. */
  readonly pending: string | null
  /** Notes durably that a merchant is about to be created. */
  begin(key: string): void
  /** Writes its password durably. */
  finish(issued: IssuedPassword): void
  /** Ends a complete import. */
  close(): void
}

/** Creates the file for this user alone (0600), or continues the one of an earlier import. Throws `ExitError` for any other file. */
export function openPasswordFile(path: string, keyName: MerchantFile['keyName']): PasswordFile {
  const pendingPath = `${path}.pending`
  const isNew = !existsSync(path)
  const file = openFile(path, isNew ? 'ax' : 'r+')
  const done = new Set<string>()
  let length = 0
  if (isNew) write(formatCsvRow(heading))
  else {
    const text = readOwn(path, file)
    // A last line that was cut off is of the merchant that is pending.
    length = text.lastIndexOf('\n') + 1
    ftruncateSync(file, Buffer.byteLength(text.slice(0, length)))
    for (const [name = '', businessId = ''] of (parseCsv(text.slice(0, length)) ?? []).slice(1))
      done.add(keyName === 'name' ? name : businessId)
    length = Buffer.byteLength(text.slice(0, length))
  }
  const pending = existsSync(pendingPath) ? readFileSync(pendingPath, 'utf8') : null
  return Object.freeze<PasswordFile>({
    done,
    pending: pending === null || done.has(pending) ? null : pending,
    begin: (key) => writeFileSync(pendingPath, key, { mode: 0o600, flush: true }),
    finish: ({ name, businessId, merchantId, password }) => write(formatCsvRow([name, businessId, merchantId, password])),
    close() {
      closeSync(file)
      rmSync(pendingPath, { force: true })
    },
  })

  function write(line: string): void {
    length += writeSync(file, line, length)
    fsyncSync(file)
  }
}

function openFile(path: string, flags: 'ax' | 'r+'): number {
  try {
    // Created for writing at positions: a file opened for appending takes none on Linux.
    return openSync(path, flags === 'ax' ? 'wx' : flags, 0o600)
  } catch (err) {
    throw new ExitError('usage', `${path} cannot be written (${(err as NodeJS.ErrnoException).code ?? 'unknown error'}).`)
  }
}

/** The text of a file that an earlier import has created. */
function readOwn(path: string, file: number): string {
  const text = readFileSync(file, 'utf8')
  const isOwn = text.startsWith(formatCsvRow(heading)) && (process.platform === 'win32' || (fstatSync(file).mode & 0o077) === 0)
  if (isOwn) return text
  throw new ExitError('usage', `${path} exists, and is not the file of an earlier import that only this user may read: name another one.`)
}

const heading = ['name', 'business-id', 'merchant', 'password']
