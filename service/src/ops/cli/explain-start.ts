import { KekError, KekUnavailableError } from '@tessera/vault/kek'
import { KeyRejectedError } from '@tessera/vault/keyring'

import type { Config } from '../config/config.ts'
import { AdapterConfigError } from '../../adapters/adapter.ts'
import { AnchorBroken } from '../../domain/freshness/anchors.ts'
import { DatabaseRestored } from '../../domain/freshness/database-restored.ts'
import { KeyStoreMismatch, keyStoreAdvice } from '../../domain/keys/key-store-mismatch.ts'
import { DashboardMissing } from '../../server/pages/dashboard-assets.ts'
import { ExitError, type Exit } from '../exits.ts'
import { explainFileError, isAboutOtherPath } from '../file-error.ts'
import { AssetsMissing } from '../../server/pages/form-assets.ts'
import { RowBroken } from '../../store/columns.ts'
import { MigrationRefused } from '../../store/migrations/migrations.ts'
import { PrimaryRecordDamaged } from '../../store/postgres/primary-record.ts'
import { FolderLocked } from '../../store/sqlite/lock.ts'
import {
  PrimaryRefused,
  StoreDamaged,
  StoreFull,
  StoreLocked,
  StoreOutcomeUnknown,
  StoreRefused,
  type StoreRefusal,
  StoreUnavailable,
} from '../../store/store.ts'

/** Turns an error of the start into an exit code and a message that says what to do. Returns unexpected errors unchanged. */
export function explainStart(err: unknown, config: Config, stopping: AbortSignal): unknown {
  if (err instanceof ExitError && !(stopping.aborted && err.exit === 'unavailable')) return err
  if (stopping.aborted) return stoppedStart(stopping)
  if (err instanceof FolderLocked) return exitError('inUse', `${err.message}: stop it first, or set TESSERA_DATA to another folder.`, err)
  if (err instanceof AssetsMissing || err instanceof DashboardMissing) return exitError('invalidSettings', err.message, err)
  if (err instanceof KekUnavailableError)
    return new ExitError('unavailable', `the provider of the key encryption key does not answer: ${err.message}.`, { cause: err })
  if (err instanceof KekError || err instanceof MigrationRefused) return exitError('invalidSettings', `${err.message}.`, err)
  if (err instanceof AdapterConfigError) return exitError('invalidSettings', err.message, err)
  if (err instanceof PrimaryRecordDamaged) return exitError('invalidSettings', `${err.message}.`, err)
  if (err instanceof DatabaseRestored || err instanceof AnchorBroken) return exitError('invalidSettings', err.message, err)
  if (err instanceof KeyStoreMismatch)
    return new ExitError('invalidSettings', `${err.code}: ${err.finding}.`, { cause: err, advice: keyStoreAdvice })
  if (err instanceof KeyRejectedError) return new ExitError('invalidSettings', `${err.message}.`, { cause: err, advice: sameKek })
  if (err instanceof StoreFull) return exitError('cannotCreate', `no disk space is left in ${config.dataFolder}.`, err)
  return explainDatabase(err, 'TESSERA_DATABASE_URL') ?? explainSystem(err, config) ?? err
}

/** The end of a start that a signal stopped. */
export function stoppedStart({ reason }: AbortSignal): ExitError {
  return new ExitError('done', `stopped by ${String(reason)} before it was ready.`)
}

/** Errors of a database; `setting` names it. */
export function explainDatabase(err: unknown, setting: string): ExitError | null {
  if (err instanceof StoreRefused) {
    const { exit, what, advice } = refusals[err.refusal](setting)
    return new ExitError(exit, `${what} (${err.message}).`, { cause: err, advice })
  }
  if (err instanceof PrimaryRefused)
    return new ExitError('unavailable', `${err.reason}: ${err.message}.`, { cause: err, advice: choosePrimary })
  const damage = findDamage(err)
  if (damage instanceof StoreDamaged) return new ExitError('damaged', `${damage.message}.`, { cause: err, advice: damage.advice })
  if (damage !== null)
    return new ExitError('damaged', `the database is damaged, or somebody changed it: ${damage.message}.`, {
      cause: err,
      advice: restoreRow,
    })
  if (err instanceof StoreLocked)
    return new ExitError('unavailable', `${err.message}: nothing of that change was applied.`, { cause: err, advice: findHolder })
  if (err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown)
    return exitError('unavailable', `the database does not respond (${err.message}): check ${setting}, or start it first.`, err)
  return null
}

/** The error, or what caused it, that says that the database is damaged. */
function findDamage(err: unknown): StoreDamaged | RowBroken | null {
  for (let cause = err; cause instanceof Error; cause = cause.cause)
    if (cause instanceof StoreDamaged || cause instanceof RowBroken) return cause
  return null
}

const refusals: Readonly<
  Record<StoreRefusal, (setting: string) => { readonly exit: Exit; readonly what: string; readonly advice: string }>
> = {
  login: (setting) => ({
    exit: 'invalidSettings',
    what: 'PostgreSQL refuses the login',
    advice: `Correct user and password in ${setting}, or let the user in by the server's pg_hba.conf.`,
  }),
  database: (setting) => ({
    exit: 'invalidSettings',
    what: 'PostgreSQL does not have this database',
    advice: `Correct its name in ${setting}, or create it: CREATE DATABASE … OWNER ….`,
  }),
  rights: (setting) => ({
    exit: 'invalidSettings',
    what: `the user of ${setting} lacks a right that a start needs`,
    advice: 'tessera doctor prints what to grant; docs/operating/starting.md lists the rights.',
  }),
}

/** System errors, by their codes. */
function explainSystem(err: unknown, config: Config): ExitError | null {
  if (!(err instanceof Error)) return null
  const { code = '', port = 0, syscall = '', errcode = 0, hostname } = err as SystemError
  if (syscall === 'listen') return explainListen(err, code, port, config)
  if (syscall === 'getaddrinfo' && (hostname === config.host || hostname === config.adminHost)) {
    const setting = hostname === config.host ? 'TESSERA_HOST' : 'TESSERA_ADMIN_HOST'
    const advice = `Set ${setting} to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.`
    return new ExitError('invalidSettings', `the host name ${hostname} of ${setting} cannot be resolved (${code}).`, {
      cause: err,
      advice,
    })
  }
  // A file that the command was to write, such as a backup, is no fault of the data folder.
  const aboutFile = isAboutOtherPath(err, config.dataFolder) ? explainFileError(err) : null
  if (aboutFile !== null) return aboutFile
  if (folderCodes.includes(code) || folderCodes.includes((err.cause as SystemError | undefined)?.code ?? '')) {
    const reason = code === '' ? err.message : `the data folder ${config.dataFolder} cannot be used (${code})`
    return exitError('cannotCreate', `${reason}: let this user write it, or set TESSERA_DATA to another one.`, err)
  }
  return code === 'ERR_SQLITE_ERROR' ? explainSqlite(err, errcode & 0xff, config) : null
}

type SystemError = NodeJS.ErrnoException & {
  readonly port?: number
  readonly address?: string
  readonly errcode?: number
  readonly hostname?: string
}

const findHolder =
  'Repeat it when that session has ended. It may be a dump or a forgotten transaction: select pid, xact_start, query from pg_stat_activity order by xact_start.'
const restoreRow = 'tessera store check names such rows. Restore database and key store from backups of the same time, or use a replica.'
const folderCodes: readonly string[] = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT']

/** By SQLite's primary result codes (sqlite.org/rescode.html): busy, readonly, I/O error, cannot open. */
function explainSqlite(err: Error, code: number, { dataFolder }: Config): ExitError | null {
  const what = `the embedded database in ${dataFolder} cannot be opened (${err.message}).`
  if (code === 5)
    return new ExitError('inUse', what, {
      cause: err,
      advice: 'Another program has locked it: end that program, such as a sqlite3 shell or a backup.',
    })
  if (code === 10) return new ExitError('ioError', what, { cause: err, advice: 'The disk failed: check it before starting again.' })
  if (code !== 8 && code !== 14) return null
  return new ExitError('cannotCreate', what, { cause: err, advice: 'Let this user read and write the folder and every file in it.' })
}

function explainListen(err: SystemError, code: string, port: number, config: Config): ExitError {
  const isAdmin = port === config.adminPort && (port !== config.port || err.address !== config.host)
  const isHandOver = port !== 0 && port === config.handOverPort && port !== config.port
  const setting = isHandOver ? 'TESSERA_HAND_OVER_PORT' : isAdmin ? 'TESSERA_ADMIN_PORT' : 'TESSERA_PORT'
  if (code === 'EADDRINUSE')
    return exitError('inUse', `port ${String(port)} is in use by another program: set ${setting} to a free one, or to 0 for any.`, err)
  if (code === 'EACCES')
    return exitError('invalidSettings', `this user may not listen on port ${String(port)}: set ${setting} to one above 1023.`, err)
  return exitError(
    'invalidSettings',
    isAdmin
      ? `the service cannot listen on ${config.adminHost} (${code}): set TESSERA_ADMIN_HOST to an address of this machine.`
      : `the service cannot listen on ${config.host} (${code}): set TESSERA_HOST to an address of this machine.`,
    err,
  )
}

function exitError(exit: ExitError['exit'], message: string, cause: Error): ExitError {
  return new ExitError(exit, message, { cause })
}

const choosePrimary =
  'Stop the older server, or make it a standby: the service follows the other one by itself. If only one of them has what was acknowledged and the ' +
  'service cannot know which, choose it: tessera store choose-primary.'

const sameKek =
  'Services on one database share one KEK: name the one that wrapped the keys, or restore it (the development.kek of this data folder, say). While the KEK ' +
  'is being changed, each service needs both, with TESSERA_KEK_NEXT_FILE, until tessera keys rewrap leaves none.'
