import { constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { noteFilesClosed } from '../../app/database-files.ts'
import { requireStartChecks } from '../../app/start-checks.ts'
import { inspectDatabase } from '../../app/inspect-database.ts'
import { type AuditGap, type AuditHead, describeGap, findAuditEntry, listAuditHeads } from '../../store/audit.ts'
import type { DatabaseInspection } from '../../store/inspection.ts'
import { readDatabaseFile } from '../../store/sqlite/integrity.ts'
import { hashFile, replaceDatabase } from '../../store/sqlite/replace-database.ts'
import { requestLogPathOf } from '../../store/sqlite/request-log.ts'
import { databasePathOf } from '../../store/sqlite/sqlite.ts'
import type { KnownHead } from '../audit/lost-entries.ts'
import type { LostEntries } from '../audit/restore-statement.ts'
import { makeAuditSigners } from '../audit/signers.ts'
import { decryptFile, encryptedSuffix, NotDecrypted } from '../backup/encryption.ts'
import { manifestFileName, readManifest, type BackupManifest } from '../backup/manifest.ts'
import { CopyBroken, verifyCopy } from '../backup/verify-copy.ts'
import { ExitError } from '../exits.ts'

import { acceptDatabase, findLostIn, printAccepted, printLost, runOnStoppedService, type StoppedService } from './accept-restored.ts'
import { readIdentity, withStagingFolder } from './backup-recipients.ts'
import { requireArguments, type CommandInput, type CommandOutcome } from './command.ts'
import { displayPath } from './control-client.ts'
import { waitForCustodians } from './wait-for-custodians.ts'

/**
 * `tessera restore <folder>`: verifies a backup and says what lies behind it; with --yes puts it in place of the embedded database, and accepts it. On
 * PostgreSQL the operator has restored the database, and the command verifies that it reaches the backup.
 */
export async function runRestore(input: CommandInput): Promise<CommandOutcome> {
  const [folder = ''] = requireArguments(input.args, 1, 1, 'restore <folder>')
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new ExitError('usage', `${displayPath(resolve(folder))} is a file: give the folder that tessera backup wrote.`)
  return runOnStoppedService(
    input,
    async (command) =>
      withPlainFolder(input, command, resolve(folder), async (plain) => {
        const backup = await verifyBackup(command, plain, input.options.get('from')).catch((err: unknown) => {
          if (err instanceof CopyBroken)
            throw new ExitError('damaged', `the backup in ${displayPath(folder)} is not usable: ${err.message}.`)
          throw err
        })
        const plan = [printBackup(backup.manifest), ...printLost(backup.lost)]
        if (!input.options.has('yes')) throw new ExitError('usage', [...plan, confirmation].join('\n'))
        const former = backup.manifest.file === null ? null : await putInPlace(command, plain)
        const accepted = await acceptDatabase(command, { lost: backup.lost, backupAt: backup.manifest.at })
        const moved = former === null ? [] : [`The former database is in ${displayPath(former)}: delete it when it is not needed any more.`]
        return { exit: 'done', data: { accepted, former }, text: [...plan, ...moved, ...printAccepted(accepted)].join('\n') }
      }),
    waitForCustodians,
  )
}

/** Runs with the folder of a backup whose files are not encrypted: its own, or one on the disk of the database. Throws `ExitError`. */
async function withPlainFolder<T>(
  input: CommandInput,
  { config }: StoppedService,
  folder: string,
  run: (plain: string) => Promise<T>,
): Promise<T> {
  const encrypted = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(encryptedSuffix)) : []
  if (encrypted.length === 0) return run(folder)
  const identity = readIdentity(input, join(folder, encrypted[0] ?? ''))
  return withStagingFolder(config.dataFolder, async (staging) => {
    for (const name of encrypted) {
      await decryptFile(join(folder, name), join(staging, name.slice(0, -encryptedSuffix.length)), identity).catch((cause: unknown) => {
        if (!(cause instanceof NotDecrypted)) throw cause
        const what = `${displayPath(join(folder, name))} cannot be opened: it is encrypted to others than this identity, or damaged (${cause.message}).`
        throw new ExitError('usage', what, { cause })
      })
    }
    await copyFile(join(folder, manifestFileName), join(staging, manifestFileName))
    return run(staging)
  })
}

interface VerifiedBackup {
  readonly manifest: BackupManifest
  readonly lost: readonly LostEntries[]
}

/** Verifies the manifest and what it describes, under the keys of the key store. Changes nothing. Throws `ExitError` and `CopyBroken`. */
async function verifyBackup(command: StoppedService, folder: string, from: string | undefined): Promise<VerifiedBackup> {
  const { config } = command
  const subject = command.openSubject()
  if ((await subject.storedKeys()).length === 0)
    throw new ExitError(
      'invalidSettings',
      'the key store is empty: a backup is verified with the keys of its service, and opened with them.',
      {
        advice: putKeysBack,
      },
    )
  const keyring = await subject.keyring()
  const manifest = await readSignedManifest(folder, await makeAuditSigners(keyring).publicKeys())
  if (manifest.environment !== config.environment) throw new CopyBroken(`it was made in the ${manifest.environment} environment`)
  if ((manifest.file === null) !== (config.databaseUrl !== null))
    throw new ExitError(
      'usage',
      `the backup is one of ${manifest.file === null ? 'PostgreSQL' : 'the embedded database'}, and the settings name the other store.`,
    )
  if (manifest.file !== null) await verifyFile(folder, manifest.file)
  else await requireStartChecks(subject, 'data')
  const database = manifest.file === null ? await subject.database() : await inspectDatabase('cards', null, folder)
  try {
    requireKnownGaps((await verifyCopy({ database, keyring, environment: config.environment })).gaps, manifest)
    await requireHeads(database, manifest)
    const others = manifest.file === null ? [] : await readPresentHeads(command)
    return { manifest, lost: await findLostIn(command, { store: database, subject, from, others }) }
  } finally {
    if (manifest.file !== null) await database.close()
    await subject.close()
  }
}

async function readSignedManifest(folder: string, keys: Parameters<typeof readManifest>[1]): Promise<BackupManifest> {
  const path = join(folder, manifestFileName)
  const found = readManifest(readText(path), keys)
  if (found === null) throw new ExitError('usage', `${displayPath(path)} is not the manifest of a backup.`)
  if (found.isSigned) return found.manifest
  throw new ExitError('invalidSettings', `${displayPath(path)} was changed, or signed by a service with other keys.`, {
    advice: 'Put the key store of this service back first, the newest one; it has the keys of all its backups.',
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ExitError('usage', `${displayPath(path)} cannot be read: give the folder that tessera backup wrote.`, { cause })
  }
}

async function verifyFile(folder: string, file: NonNullable<BackupManifest['file']>): Promise<void> {
  const path = databasePathOf(folder)
  const hash = await hashFile(path).catch((cause: unknown) => {
    throw new ExitError('usage', `${displayPath(path)} cannot be read.`, { cause })
  })
  if (hash !== file.sha256) throw new CopyBroken(`${file.name} is not the file of the manifest: it was changed, or copied in part`)
  const { damage } = await readDatabaseFile(path)
  if (damage.length > 0) throw new CopyBroken(damage[0] ?? '')
}

/** The database lacks no audit entries but those that it lacked when the backup was made. */
function requireKnownGaps(gaps: readonly AuditGap[], manifest: BackupManifest): void {
  const isKnown = (gap: AuditGap): boolean =>
    manifest.gaps.some(({ chain, afterSeq, seq }) => chain === gap.chain && afterSeq === gap.afterSeq && seq === gap.seq)
  const gap = gaps.find((each) => !isKnown(each))
  if (gap !== undefined) throw new CopyBroken(`${describeGap(gap)}, and it had them when the manifest was signed`)
}

/** The database has the ends of the audit chains that the manifest signs. */
async function requireHeads(database: DatabaseInspection, { checkpoint, wal }: BackupManifest): Promise<void> {
  for (const { chain, seq, hash } of checkpoint.heads) {
    const entry = await database.read(findAuditEntry(chain, seq))
    if (entry !== null && Buffer.compare(entry.hash, hash) === 0) continue
    const position = wal === null ? '' : `; restore it up to ${wal.lsn} of the log at least`
    throw new CopyBroken(`the database does not have entry ${String(seq)} of the audit chain ${chain}, which the manifest signs${position}`)
  }
}

/** The ends of the chains of the database that is to be replaced; none when it cannot be read. */
async function readPresentHeads({ config }: StoppedService): Promise<KnownHead[]> {
  try {
    const database = await inspectDatabase('cards', null, config.dataFolder)
    try {
      const heads = database.hasSchema ? await listAuditHeads(database) : []
      const at = async ({ chain, seq }: AuditHead): Promise<number> => (await database.read(findAuditEntry(chain, seq)))?.at ?? 0
      return await Promise.all(heads.map(async (head) => ({ ...head, at: new Date(await at(head)).toISOString() })))
    } finally {
      await database.close()
    }
  } catch {
    return []
  }
}

/** Returns the folder of the former files. The checks of a start come before anything is accepted. */
async function putInPlace(command: StoppedService, folder: string): Promise<string | null> {
  const { config, clock } = command
  const name = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')
  const former = await replaceDatabase(config.dataFolder, databasePathOf(folder), name)
  await restoreRequestLog(folder, config.dataFolder)
  noteFilesClosed(config.dataFolder)
  const subject = command.openSubject()
  await requireStartChecks(subject, 'data')
  await subject.close()
  return former
}

/** Only where there is none: the one that is there has the calls after the backup too. */
async function restoreRequestLog(folder: string, dataFolder: string): Promise<void> {
  const [copy, path] = [requestLogPathOf(folder), requestLogPathOf(dataFolder)]
  if (!existsSync(copy) || existsSync(path)) return
  await copyFile(copy, path, constants.COPYFILE_EXCL)
  await chmod(path, 0o600)
}

function printBackup({ at, version, checkpoint, gaps }: BackupManifest): string {
  const heads = checkpoint.heads.map(({ chain, seq }) => `${chain} ${String(seq)}`).join(', ')
  const lacks = gaps.map((gap) => ` Already then ${describeGap(gap)}.`).join('')
  return `Backup of ${at}, made by version ${version}. Last audit entries: ${heads}.${lacks}`
}

const putKeysBack =
  'Put them there first: the newest copy of the key store (keys.db in the data folder, or the schema tessera_keys), and the KEK as the settings say.'
const confirmation =
  'tessera restore makes the service continue from this backup. Everything that was changed after it is lost: removed cards can be used again, used ' +
  'recovery codes and retired passwords work again, and payments may be missing: compare them with the network and the merchants. ' +
  'Stop every service on this database first. To go on, add --yes.'
