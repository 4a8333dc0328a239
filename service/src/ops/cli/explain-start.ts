import { KekError } from '@tessera/vault/kek'
import { KeyRejectedError } from '@tessera/vault/keyring'

import type { Config } from '../config/config.ts'
import { DashboardMissing } from '../../server/pages/dashboard-assets.ts'
import { CannotGoOn } from '../exits.ts'
import { AssetsMissing } from '../../server/pages/form-assets.ts'
import { MigrationRefused } from '../../store/migrations/migrations.ts'
import { FolderLocked } from '../../store/sqlite/lock.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'

/** Why a start failed, as a way to end and a line that says what to do. What nobody foresaw is handed on as it is. */
export function explainStart(err: unknown, config: Config, stopping: AbortSignal): unknown {
  if (err instanceof CannotGoOn) return err
  if (stopping.aborted) return new CannotGoOn('done', `stopped by ${String(stopping.reason)} before it was ready.`)
  if (err instanceof FolderLocked) return say('taken', `${err.message}: stop it first, or set TESSERA_DATA to another folder.`, err)
  if (err instanceof AssetsMissing || err instanceof DashboardMissing) return say('settings', err.message, err)
  if (err instanceof KekError || err instanceof MigrationRefused) return say('settings', `${err.message}.`, err)
  if (err instanceof KeyRejectedError) return say('settings', `${err.message}. ${sameKek}`, err)
  if (err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown) {
    return say('unavailable', `the database does not answer (${err.message}): look at TESSERA_DATABASE_URL, or start it first.`, err)
  }
  if (err instanceof StoreFull) return say('cannotCreate', `there is no room to write in ${config.dataFolder}.`, err)
  return explainSystem(err, config) ?? err
}

/** Errors of the system, by their codes. */
function explainSystem(err: unknown, config: Config): CannotGoOn | null {
  if (!(err instanceof Error)) return null
  const { code = '', port = 0, syscall = '' } = err as NodeJS.ErrnoException & { port?: number }
  if (syscall === 'listen') return explainListen(err, code, port, config)
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT'].includes(code)) {
    return say(
      'cannotCreate',
      `the data folder ${config.dataFolder} cannot be used (${code}): let this user write it, or set TESSERA_DATA to another.`,
      err,
    )
  }
  return null
}

function explainListen(err: Error, code: string, port: number, config: Config): CannotGoOn {
  const setting = port === config.adminPort && port !== config.port ? 'TESSERA_ADMIN_PORT' : 'TESSERA_PORT'
  if (code === 'EADDRINUSE')
    return say('taken', `port ${String(port)} is taken by another program: set ${setting} to a free one, or to 0 for any.`, err)
  if (code === 'EACCES') return say('settings', `this user may not listen on port ${String(port)}: set ${setting} to one above 1023.`, err)
  return say('settings', `nothing can listen on ${config.host} (${code}): set TESSERA_HOST to an address of this machine.`, err)
}

function say(exit: CannotGoOn['exit'], message: string, cause: Error): CannotGoOn {
  return new CannotGoOn(exit, message, { cause })
}

const sameKek = 'Services on one database share one KEK: give this data folder a copy of the development.kek that the others have.'
