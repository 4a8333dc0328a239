import { userInfo } from 'node:os'
import { basename } from 'node:path'

import type { Params } from '@tessera/contract/operations'
import { backupHeadsMax } from '@tessera/contract/operations/operator-store'

import { requireStartChecks } from '../../app/start-checks.ts'
import { type BackupRecord, writeBackupEntry } from '../audit/backup-entry.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'

import { onOpenStore, runOnStoppedService } from './accept-restored.ts'
import type { CommandInput } from './command.ts'
import { callOperator, callService } from './control-client.ts'

export interface MadeCopy extends Pick<BackupRecord, 'what'> {
  /** The ends of all audit chains in the copy; none for the key store. */
  readonly heads: BackupRecord['heads']
  /** Of the folder or file that was written. */
  readonly path: string
}

/**
 * Writes the audit entry of a backup: by the service that runs on the data folder, or into the database of a stopped one. Returns null, or the reason why a
 * stopped one's database could not take it: a backup of a database that cannot be written any more has to be possible. Throws `ExitError` when a running
 * service does not write it.
 */
export async function recordBackup(input: CommandInput, config: Config, { what, path, heads }: MadeCopy): Promise<string | null> {
  const record = toBackupRecord({ what, path, heads }, userInfo().username)
  // A service that does not respond is one: callService says so.
  const isServed = await callOperator(config.dataFolder, 'operator.status.get', {}).then(
    (reply) => reply !== null,
    () => true,
  )
  if (isServed) {
    await callService(input, 'operator.store.recordBackup', record)
    return null
  }
  try {
    await recordStopped(input, record)
    return null
  } catch (err) {
    return err instanceof ExitError ? err.what : String(err)
  }
}

/** What the audit entry says of a copy. */
export function toBackupRecord({ what, path, heads }: MadeCopy, user: string): Params<'operator.store.recordBackup'> {
  const longest = heads.toSorted((one, other) => other.seq - one.seq).slice(0, backupHeadsMax)
  return { what, destination: toName(basename(path)), user: toName(user), chains: heads.length, heads: longest.map(toEnd) }
}

async function recordStopped(input: CommandInput, record: BackupRecord): Promise<void> {
  await runOnStoppedService(input, async (command) => {
    const subject = command.openSubject()
    await requireStartChecks(subject, 'data')
    const isOlder = (await subject.database()).pending().length > 0 || (await subject.keyStore()).pending().length > 0
    await subject.close()
    if (isOlder) throw new ExitError('invalidSettings', 'the database is of an older version, which only that version may write')
    await onOpenStore(command, ({ store }) => writeBackupEntry({ store, clock: command.clock }, record, ''))
    return { exit: 'done', data: {}, text: '' }
  })
}

/** Without characters that a log or a terminal would read as anything but a name. */
function toName(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').slice(0, 100) || '_'
}

function toEnd({ chain, seq }: BackupRecord['heads'][number]): BackupRecord['heads'][number] {
  return { chain, seq }
}
