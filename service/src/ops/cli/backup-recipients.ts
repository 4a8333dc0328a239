import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isPrivateFile } from '../../adapters/private-file.ts'
import { parseIdentities, parseRecipients, type BackupRecipients } from '../backup/encryption.ts'
import { ExitError, exits } from '../exits.ts'
import type { CommandInput } from './command.ts'
import { displayPath } from './control-client.ts'

/** Null when the copy is not to be encrypted. Throws `ExitError`. */
export function readRecipients({ options }: CommandInput): BackupRecipients | null {
  const [given, path] = [options.get('recipient'), options.get('recipients-file')]
  if (given === undefined && path === undefined) return null
  try {
    return parseRecipients([given ?? '', path === undefined ? '' : readFileSync(path, 'utf8')].join('\n'))
  } catch (err) {
    const where = path === undefined ? '--recipient' : `--recipients-file ${displayPath(path)}`
    throw new ExitError('usage', `${where}: ${messageOf(err)}.`, { cause: err })
  }
}

/** Throws `ExitError` when the option is missing, or its file cannot be used. */
export function readIdentity({ options }: CommandInput, encrypted: string): ReturnType<typeof parseIdentities> {
  const path = options.get('identity')
  if (path === undefined)
    throw new ExitError('usage', `${displayPath(encrypted)} is encrypted: give the file with the identity by --identity.`)
  try {
    if (!isPrivateFile(path)) throw new Error('other users can read it: chmod 600 it')
    return parseIdentities(readFileSync(path, 'utf8'))
  } catch (err) {
    throw new ExitError('usage', `--identity ${displayPath(path)}: ${messageOf(err)}.`, { cause: err })
  }
}

/**
 * Runs with a new folder in the data folder, on the disk that has the database anyway: what is encrypted is elsewhere in its encrypted form only. The folder is removed
 * afterwards, by Ctrl-C too, and what a command left that was killed.
 */
export async function withStagingFolder<T>(dataFolder: string, run: (folder: string) => Promise<T>): Promise<T> {
  for (const name of readdirSync(dataFolder)) if (isAbandoned(name)) rmSync(join(dataFolder, name), { recursive: true, force: true })
  const folder = join(dataFolder, `${prefix}${String(process.pid)}`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const interrupt = (): void => {
    remove()
    process.exit(exits.interrupted.code)
  }
  mkdirSync(folder, { mode: 0o700 })
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await run(folder)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    remove()
  }
}

function isAbandoned(name: string): boolean {
  const [, pid] = /^staging-(\d+)$/.exec(name) ?? []
  if (pid === undefined) return false
  try {
    process.kill(Number(pid), 0)
    return Number(pid) === process.pid
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const prefix = 'staging-'

function messageOf(err: unknown): string {
  const { code } = err as NodeJS.ErrnoException
  return code === undefined ? (err as Error).message : `it cannot be read (${code})`
}
