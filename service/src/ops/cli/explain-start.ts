import { KekError } from '@tessera/vault/kek'
import { KeyRejectedError } from '@tessera/vault/keyring'

import type { Config } from '../config/config.ts'
import { KeyStoreMismatch } from '../../domain/keys/key-store-mismatch.ts'
import { DashboardMissing } from '../../server/pages/dashboard-assets.ts'
import { ExitError } from '../exits.ts'
import { AssetsMissing } from '../../server/pages/form-assets.ts'
import { MigrationRefused } from '../../store/migrations/migrations.ts'
import { FolderLocked } from '../../store/sqlite/lock.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'

/** Turns an error of the start into an exit code and a message that says what to do. Returns unexpected errors unchanged. */
export function explainStart(err: unknown, config: Config, stopping: AbortSignal): unknown {
  if (err instanceof ExitError) return err
  if (stopping.aborted) return new ExitError('done', `stopped by ${String(stopping.reason)} before it was ready.`)
  if (err instanceof FolderLocked) return exitError('inUse', `${err.message}: stop it first, or set TESSERA_DATA to another folder.`, err)
  if (err instanceof AssetsMissing || err instanceof DashboardMissing) return exitError('invalidSettings', err.message, err)
  if (err instanceof KekError || err instanceof MigrationRefused) return exitError('invalidSettings', `${err.message}.`, err)
  if (err instanceof KeyStoreMismatch) return exitError('invalidSettings', err.message, err)
  if (err instanceof KeyRejectedError) return exitError('invalidSettings', `${err.message}. ${sameKek}`, err)
  if (err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown) {
    return exitError('unavailable', `the database does not respond (${err.message}): check TESSERA_DATABASE_URL, or start it first.`, err)
  }
  if (err instanceof StoreFull) return exitError('cannotCreate', `no disk space is left in ${config.dataFolder}.`, err)
  return explainSystem(err, config) ?? err
}

/** System errors, by their codes. */
function explainSystem(err: unknown, config: Config): ExitError | null {
  if (!(err instanceof Error)) return null
  const { code = '', port = 0, syscall = '' } = err as NodeJS.ErrnoException & { port?: number }
  if (syscall === 'listen') return explainListen(err, code, port, config)
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT'].includes(code)) {
    return exitError(
      'cannotCreate',
      `the data folder ${config.dataFolder} cannot be used (${code}): let this user write it, or set TESSERA_DATA to another one.`,
      err,
    )
  }
  return null
}

function explainListen(err: Error, code: string, port: number, config: Config): ExitError {
  const setting = port === config.adminPort && port !== config.port ? 'TESSERA_ADMIN_PORT' : 'TESSERA_PORT'
  if (code === 'EADDRINUSE')
    return exitError('inUse', `port ${String(port)} is in use by another program: set ${setting} to a free one, or to 0 for any.`, err)
  if (code === 'EACCES')
    return exitError('invalidSettings', `this user may not listen on port ${String(port)}: set ${setting} to one above 1023.`, err)
  return exitError(
    'invalidSettings',
    `the service cannot listen on ${config.host} (${code}): set TESSERA_HOST to an address of this machine.`,
    err,
  )
}

function exitError(exit: ExitError['exit'], message: string, cause: Error): ExitError {
  return new ExitError(exit, message, { cause })
}

const sameKek = 'Services on one database share one KEK: copy the development.kek of another service into this data folder.'
