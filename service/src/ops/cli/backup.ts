import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { KekSealedError } from '@tessera/vault/kek'

import { requireWal } from '../../app/database-files.ts'
import { createPrivateFolder } from '../../app/data-folder.ts'
import { inspectDatabase } from '../../app/inspect-database.ts'
import type { StartSubject } from '../../app/start-subject.ts'
import { type AuditGap, describeGap } from '../../store/audit.ts'
import { copyDatabase, type CopyProgress, syncFolderOf } from '../../store/sqlite/copy-database.ts'
import { sqliteFaultOf } from '../../store/sqlite/fault.ts'
import { readDatabaseFile } from '../../store/sqlite/integrity.ts'
import { SQLITE_KEYS_FILE } from '../../store/sqlite/keys.ts'
import { requestLogPathOf } from '../../store/sqlite/request-log.ts'
import { databasePathOf } from '../../store/sqlite/sqlite.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { encryptedSuffix, encryptFile, type BackupRecipients } from '../backup/encryption.ts'
import { manifestFileName, readManifest } from '../backup/manifest.ts'
import { signBackup, type SignedBackup } from '../backup/sign-backup.ts'
import { CopyBroken } from '../backup/verify-copy.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { tesseraVersion } from '../version.ts'

import { readRecipients, withStagingFolder } from './backup-recipients.ts'
import { requireArguments, type CommandInput, type CommandOutcome } from './command.ts'
import { callOperator, callService, displayPath, longReplyTimeoutMs } from './control-client.ts'
import { recordBackup } from './record-backup.ts'
import { withSubject } from './with-subject.ts'

/** `tessera backup <folder>`: copies the embedded database and verifies the copy; on PostgreSQL writes the manifest for a copy by its own tools. */
export async function runBackup(input: CommandInput): Promise<CommandOutcome> {
  const [folder = ''] = requireArguments(input.args, 1, 1, 'backup <folder>')
  const { config } = input.settings()
  return runBeside(config, async (subject) => {
    const recipients = readRecipients(input)
    if (recipients !== null && config.databaseUrl !== null) throw new ExitError('usage', notEncrypted)
    const target = makeTargetFolder(folder, config)
    // Before anything is copied: without the keys nothing could be verified.
    const { sign, kek } = await chooseSigner(input, config, subject)
    const copyInto = async (place: string): Promise<[RequestLogCopy | null, SignedBackup]> => {
      const copied = config.databaseUrl === null ? await copyEmbedded(input, config, subject, place) : null
      return [copied, await sign(config.databaseUrl === null ? place : null)]
    }
    const [requestLog, made] =
      recipients === null
        ? await requireRoom(target, () => copyInto(target))
        : await withStagingFolder(config.dataFolder, async (staging) => {
            const copied = await requireRoom(staging, () => copyInto(staging))
            await requireRoom(target, async () => {
              for (const name of readdirSync(staging))
                await encryptFile(join(staging, name), join(target, name + encryptedSuffix), recipients, makePace(readRate(input)))
            })
            return copied
          })
    const path = join(target, manifestFileName)
    const { checkpoint, gaps, file, wal } = made.manifest
    const { heads } = checkpoint
    // Before the manifest, without which the copy is no backup: what can be restored is in the audit.
    const unrecorded = await recordBackup(input, config, { what: 'database', path: target, heads })
    await requireRoom(target, async () => writeFileSync(path, `${made.line}\n`, { mode: 0o600, flag: 'wx', flush: true }))
    syncFolderOf(path)
    // The folder may be new.
    syncFolderOf(target)
    const { entries, answers, rows } = made
    const data = {
      folder: target,
      manifest: path,
      file,
      wal,
      chains: heads.length,
      gaps,
      entries,
      answers,
      rows,
      unrecorded,
      requestLog,
      recipients: recipients?.count ?? 0,
    }
    return {
      exit: 'done',
      data,
      text: [
        ...printMade(made, path),
        ...printRecipients(recipients),
        ...printRequestLog(requestLog),
        ...printGaps(gaps),
        ...printUnrecorded(unrecorded),
        '',
        ...printSeparate(config, kek),
      ].join('\n'),
    }
  })
}

/** `tessera keys backup <file>`: copies the embedded key store, which belongs into another place than the database. */
export async function runKeysBackup(input: CommandInput): Promise<CommandOutcome> {
  const [file = ''] = requireArguments(input.args, 1, 1, 'keys backup <file>')
  const { config } = input.settings()
  if ((config.keysDatabaseUrl ?? config.databaseUrl) !== null) throw new ExitError('usage', `the data keys are in PostgreSQL: ${dumpKeys}`)
  return runBeside(config, async () => {
    const target = resolve(file)
    if (existsSync(target)) throw new ExitError('usage', `${displayPath(target)} exists: give the name of a new file.`)
    if (existsSync(join(dirname(target), manifestFileName)))
      throw new ExitError(
        'usage',
        `${displayPath(dirname(target))} has a backup of the database: a person who takes it would have database and keys. Give another folder.`,
      )
    const source = join(config.dataFolder, SQLITE_KEYS_FILE)
    if (!existsSync(source))
      throw new ExitError('usage', `there is no key store in ${displayPath(config.dataFolder)}.`, { advice: nameFolder })
    const recipients = readRecipients(input)
    // At once, since the key store cannot be written meanwhile.
    const copyTo = async (path: string): Promise<number> => {
      const copied = await copyDatabase(source, path, { bytesPerSecond: Infinity })
      await requireWholePages(path)
      return copied.bytes
    }
    const bytes =
      recipients === null
        ? await requireRoom(target, () => copyTo(target))
        : await withStagingFolder(config.dataFolder, async (staging) => {
            const copied = await requireRoom(staging, () => copyTo(join(staging, SQLITE_KEYS_FILE)))
            await requireRoom(target, () => encryptFile(join(staging, SQLITE_KEYS_FILE), target, recipients))
            return copied
          })
    const unrecorded = await recordBackup(input, config, { what: 'keys', path: target, heads: [] })
    const text = `The key store was copied to ${displayPath(target)} and verified. It is encrypted under the KEK: keep the KEK in a third place.`
    const data = { file: target, bytes, unrecorded, recipients: recipients?.count ?? 0 }
    return { exit: 'done', data, text: [text, ...printRecipients(recipients), ...printUnrecorded(unrecorded)].join('\n') }
  })
}

/** Verifies what is in a folder, on PostgreSQL the database itself (null), and signs its manifest. */
interface BackupSigner {
  readonly sign: (folder: string | null) => Promise<SignedBackup>
  readonly kek: string
}

/** With the keys, or where custodians hold the KEK in shares, by the service that they unsealed. */
async function chooseSigner(input: CommandInput, config: Config, subject: StartSubject): Promise<BackupSigner> {
  try {
    const keyring = await subject.keyring()
    const { environment } = config
    const sign = async (folder: string | null): Promise<SignedBackup> => {
      const database = folder === null ? await subject.database() : await inspectDatabase('cards', null, folder)
      return signBackup({ environment, keyring, database, version: tesseraVersion, clock: makeSystemClock() }).finally(() =>
        folder === null ? undefined : database.close(),
      )
    }
    return { sign, kek: (await subject.kek())?.kind ?? '' }
  } catch (err) {
    if (!(err instanceof KekSealedError)) throw err
  }
  const reply = await callOperator(config.dataFolder, 'operator.shares.list', {})
  if (reply === null || !('result' in reply) || reply.result.isSealed)
    throw new ExitError('unavailable', 'custodians hold the KEK in shares, and a backup is signed with the keys.', { advice: unsealFirst })
  return { sign: (folder) => signByService(input, folder), kek: 'shares' }
}

async function signByService(input: CommandInput, folder: string | null): Promise<SignedBackup> {
  const { manifest: line, ...verified } = await callService(input, 'operator.store.signBackup', { folder }, longReplyTimeoutMs)
  const { manifest } = readManifest(line, []) ?? {}
  if (manifest === undefined) throw new ExitError('internalError', 'the service signed what is no manifest: it may be of another version.')
  return { line, manifest, ...verified }
}

/** Runs a command beside a service or without one. It changes nothing in the data folder, and leaves the processor to others. */
async function runBeside(config: Config, run: (subject: StartSubject) => Promise<CommandOutcome>): Promise<CommandOutcome> {
  process.umask(0o077)
  setPriority(0, lowestPriority)
  return withSubject(config, async (subject) => {
    try {
      return await run(subject)
    } catch (err) {
      throw err instanceof CopyBroken ? brokenCopy('The copy', err.message) : err
    }
  })
}

function makeTargetFolder(folder: string, { dataFolder }: Config): string {
  const target = resolve(folder)
  if (!relative(resolve(dataFolder), target).startsWith('..'))
    throw new ExitError('usage', `${displayPath(target)} is in the data folder: a backup belongs on another disk.`)
  try {
    createPrivateFolder(target)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    throw new ExitError('cannotCreate', `${displayPath(target)} cannot be created (${code}): give a folder that this user may make.`, {
      cause,
    })
  }
  if (readdirSync(target).length > 0)
    throw new ExitError('usage', `${displayPath(target)} is not empty: give a new folder for each backup.`)
  return target
}

/** Runs a step that writes into a folder that was empty, or a file that was not there. Without room what it wrote is deleted: the next attempt wants an empty folder. */
async function requireRoom<T>(place: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    const { code = '', path = '' } = cause as NodeJS.ErrnoException
    if (['EROFS', 'EACCES', 'EPERM'].includes(code) && path.startsWith(place))
      throw new ExitError('cannotCreate', `${displayPath(place)} cannot be written (${code}): nothing was backed up.`, { cause })
    if (sqliteFaultOf(cause) !== 'full' && code !== 'ENOSPC' && code !== 'EDQUOT') throw cause
    if (!lstatSync(place).isDirectory()) for (const path of [place, `${place}-journal`]) rmSync(path, { force: true })
    else for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true, force: true })
    throw new ExitError('cannotCreate', `there is no room for the copy in ${displayPath(place)}: nothing was backed up.`, {
      cause,
      advice: 'Make room there, or give a folder on another disk, and repeat the command.',
    })
  }
}

/** Returns what became of the request log. */
async function copyEmbedded(input: CommandInput, config: Config, subject: StartSubject, target: string): Promise<RequestLogCopy> {
  const source = databasePathOf(config.dataFolder)
  if (!existsSync(source))
    throw new ExitError('usage', `there is no database in ${displayPath(config.dataFolder)}.`, { advice: nameFolder })
  // The copy has a log of its own, so what the source lost would not be noticed in it.
  requireWal(config.dataFolder)
  await subject.database()
  const path = databasePathOf(target)
  const rate = readRate(input)
  await copyDatabase(source, path, { bytesPerSecond: rate * megabyte, onProgress: makeProgress(input) })
  if (!input.json) input.print('Verifying the copy.\n')
  await requireWholePages(path)
  return copyRequestLog(config.dataFolder, target, rate)
}

/** `copied`, `none` where there is none, or why it could not be copied. */
type RequestLogCopy = 'copied' | 'none' | { readonly reason: string }

/** The request log decides nothing, so that a damaged one does not prevent the backup, and the manifest does not sign it. */
async function copyRequestLog(folder: string, target: string, rate: number): Promise<RequestLogCopy> {
  const source = requestLogPathOf(folder)
  if (!existsSync(source)) return 'none'
  const path = requestLogPathOf(target)
  try {
    await copyDatabase(source, path, { bytesPerSecond: rate * megabyte })
    return 'copied'
  } catch (err) {
    rmSync(path, { force: true })
    return { reason: err instanceof Error ? err.message : String(err) }
  }
}

function printRequestLog(copy: RequestLogCopy | null): string[] {
  if (copy === null || copy === 'none') return []
  return copy === 'copied'
    ? ['The request log was copied too (requests.db).']
    : [`The request log could not be copied: ${copy.reason}. Cards and payments are not in it.`]
}

function printMade({ manifest: { file, wal }, entries, rows, answers }: SignedBackup, path: string): string[] {
  const checked = `${String(answers)} known answers, ${String(rows)} sampled rows and the newest ${String(entries)} audit entries verified.`
  if (file !== null)
    return [
      `${String(Math.ceil(file.bytes / megabyte))} MB copied; integrity, schema, ${checked}`,
      `Manifest, signed: ${displayPath(path)}`,
    ]
  return [
    `Manifest, signed: ${displayPath(path)}. Position of the log: ${wal?.lsn ?? ''}, timeline ${String(wal?.timeline)}; ${checked}`,
    'The database itself is copied by the tools of PostgreSQL, after this command has ended:',
    '  pg_basebackup --pgdata <folder> --wal-method stream --checkpoint fast',
    'or pgBackRest with an archive of the log; a restore to a point in time has to reach the position above.',
  ]
}

function printRecipients(recipients: BackupRecipients | null): string[] {
  if (recipients === null) return []
  return [
    `Encrypted to ${String(recipients.count)} recipient${recipients.count === 1 ? '' : 's'}: a restore needs the identity of one of them (--identity).`,
  ]
}

function printGaps(gaps: readonly AuditGap[]): string[] {
  if (gaps.length === 0) return []
  return [
    'The database lacks audit entries, so the backup lacks them too; the manifest names them:',
    ...gaps.map((gap) => `  ${describeGap(gap)}`),
    'A restore accepts these and no others. Their cause is not in the backup: see tessera audit verify.',
  ]
}

function printUnrecorded(reason: string | null): string[] {
  return reason === null ? [] : [`The backup is not in the audit, since the stopped service's database could not be written: ${reason}`]
}

/** What an operator has to keep apart from the backup, since together they open the cards. */
function printSeparate({ keysDatabaseUrl, databaseUrl, dataFolder }: Config, kek: string): string[] {
  const keys = (keysDatabaseUrl ?? databaseUrl) === null ? `the key store: tessera keys backup <file>` : `the key store: ${dumpKeys}`
  return [
    'The backup has no keys. Keep in other places, never together with it:',
    `  ${keys}`,
    `  the KEK: ${keepKek(kek, dataFolder)}`,
    `Keep as well: the settings, and the checkpoints of the audit from a place outside of this machine.`,
  ]
}

function keepKek(kek: string, dataFolder: string): string {
  if (kek === 'shares') return "its custodians' shares"
  return kek === 'development-file' ? displayPath(join(dataFolder, 'development.kek')) : 'as its provider says'
}

/** Throws `ExitError` when a page of the copy is damaged. Missing audit entries are found by the verification that follows. */
async function requireWholePages(path: string): Promise<void> {
  const { damage } = await readDatabaseFile(path)
  if (damage.length > 0) throw brokenCopy(path, damage[0] ?? '')
}

function readRate({ options }: CommandInput): number {
  const text = options.get('rate')
  if (text === undefined) return defaultRate
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new ExitError('usage', '--rate takes whole megabytes a second, from 1 to 9999.')
  return Number(text)
}

/** Waits until so many bytes are within the rate. */
function makePace(megabytesPerSecond: number): (bytes: number) => Promise<void> {
  const startedAt = performance.now()
  return async (bytes) => {
    const aheadMs = (bytes / (megabytesPerSecond * megabyte)) * 1000 - (performance.now() - startedAt)
    if (aheadMs > 1) await pause(aheadMs)
  }
}

/** Prints a line a second. */
function makeProgress(input: CommandInput): (progress: CopyProgress) => void {
  let printedAt = performance.now()
  return ({ bytes, totalBytes }) => {
    if (input.json || performance.now() - printedAt < 1000) return
    printedAt = performance.now()
    const share = Math.floor((bytes / Math.max(1, totalBytes)) * 100)
    input.print(`${String(share).padStart(3)} % of ${String(Math.ceil(totalBytes / megabyte))} MB\n`)
  }
}

function brokenCopy(path: string, reason: string): ExitError {
  return new ExitError('damaged', `${path} is not usable: ${reason}.`, {
    advice: 'Delete it. The database may be damaged itself: run tessera audit verify, and keep the backups from before.',
  })
}

const notEncrypted =
  'on PostgreSQL its own tools copy the database, and encrypt it: pgBackRest by repo1-cipher-type, or pg_basebackup into age. The manifest has nothing to encrypt.'
const unsealFirst = 'Run the command while the service runs on this data folder, unsealed: tessera start, then tessera keys unseal.'
const nameFolder = 'Give the data folder of the service with --data.'
const dumpKeys = 'pg_dump --schema tessera_keys, of the database of TESSERA_KEYS_DATABASE_URL'
/** Megabytes a second. */
const defaultRate = 16
const megabyte = 2 ** 20
/** nice(1): of this process and the threads that it creates from then on. */
const lowestPriority = 19
