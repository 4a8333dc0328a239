import { accessSync, constants, statSync } from 'node:fs'

import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import { KeyStoreMismatch } from '../domain/keys/key-store-mismatch.ts'
import type { AppServices } from '../operations/app-services.ts'
import { refusal } from '../operations/operator.ts'
import { CopyBroken } from '../ops/backup/verify-copy.ts'
import { signBackup, type SignedBackup } from '../ops/backup/sign-backup.ts'
import type { Config } from '../ops/config/config.ts'
import { tesseraVersion } from '../ops/version.ts'
import type { DatabaseInspection } from '../store/inspection.ts'
import { StoreDamaged } from '../store/store.ts'

import { inspectDatabase } from './inspect-database.ts'

export function makeSignBackup(
  { environment, databaseUrl, dataFolder }: Pick<Config, 'environment' | 'databaseUrl' | 'dataFolder'>,
  { keyring, clock }: { readonly keyring: Keyring; readonly clock: Pick<Clock, 'now'> },
): AppServices['signBackup'] {
  return async (folder) => {
    try {
      return await sign(folder)
    } catch (err) {
      if (err instanceof CopyBroken || (folder !== null && err instanceof StoreDamaged)) throw refusal('copy_broken', err.message)
      if (err instanceof KeyStoreMismatch) throw refusal('copy_broken', err.finding)
      throw err
    }
  }

  async function sign(folder: string | null): Promise<SignedBackup> {
    if ((folder === null) !== (databaseUrl !== null)) throw new CopyBroken('it is of the other store than that of the service')
    const database = folder === null ? await inspectDatabase('cards', databaseUrl, dataFolder) : await openCopy(folder, dataFolder)
    try {
      return await signBackup({ environment, keyring, database, version: tesseraVersion, clock })
    } finally {
      await database.close()
    }
  }
}

/** Never the service's own file: closing a descriptor of it would drop the locks that this process has on it (fcntl(2)). */
async function openCopy(folder: string, dataFolder: string): Promise<DatabaseInspection> {
  const [{ inspectSqliteCopy }, { databasePathOf }] = await Promise.all([
    import('../store/sqlite/inspect.ts'),
    import('../store/sqlite/sqlite.ts'),
  ])
  requireReadable(databasePathOf(folder))
  const copy = statSync(databasePathOf(folder))
  const own = statSync(databasePathOf(dataFolder), { throwIfNoEntry: false })
  if (copy.ino === own?.ino && copy.dev === own.dev) throw new CopyBroken('it is the database of the service itself')
  return inspectSqliteCopy(folder)
}

/** The command may be of another user, and the unit may hide folders from the service. */
function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (err) {
    throw refusal('copy_unreadable', `${path} (${(err as NodeJS.ErrnoException).code ?? ''})`)
  }
}
