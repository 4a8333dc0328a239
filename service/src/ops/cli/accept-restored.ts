import { readFileSync } from 'node:fs'

import type { WrappedKey } from '@tessera/vault/keyring'

import type { CustodyServices } from '../../app/custody.ts'
import { noteFilesClosed, noteFilesClosing } from '../../app/database-files.ts'
import { listCheckpointDestinations } from '../../app/audit-checkpoints.ts'
import { createResources, type Resources } from '../../app/lifecycle.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { requireStartChecks } from '../../app/start-checks.ts'
import { makeStartSubject, type StartSubject } from '../../app/start-subject.ts'
import { openStorage, retryUntilReachable, type Storage } from '../../app/storage.ts'
import type { Clock } from '../../clock.ts'
import { acceptRestored } from '../../domain/freshness/accept-restored.ts'
import { listAuditHeads } from '../../store/audit.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { findLostEntries, type KnownHead } from '../audit/lost-entries.ts'
import { makeLinkCheck } from '../audit/link-check.ts'
import { openAuditChain } from '../audit/open-chain.ts'
import { type LostEntries, signRestoreStatement } from '../audit/restore-statement.ts'
import { makeAuditSigners } from '../audit/signers.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { type Log, makeLog } from '../logging/log.ts'
import { openLogSink } from '../logging/sink.ts'

import { printTable, type CommandInput, type CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'
import { claimFolder } from './start.ts'
import { waitForCustodians, type CustodianWait } from './wait-for-custodians.ts'

/**
 * `tessera audit accept-restored`: opens the database without starting the service. The checks of a start come first: with the key store of another
 * database, what is recorded would be of the wrong keys, and nothing may be written.
 */
export async function runAcceptRestored(input: CommandInput): Promise<CommandOutcome> {
  return runOnStoppedService(
    input,
    async (command) => {
      const lost = await findLostAt(command, input.options.get('from'))
      if (!input.options.has('yes')) throw new ExitError('usage', [...printLost(lost), confirmation].join('\n'))
      const accepted = await acceptDatabase(command, { lost, backupAt: null })
      return { exit: 'done', data: { accepted }, text: [...printLost(lost), ...printAccepted(accepted)].join('\n') }
    },
    waitForCustodians,
  )
}

/** What a command has that works on the data of a stopped service. */
export interface StoppedService {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly adapters: ReturnType<typeof chooseAdapters>
  readonly resources: Resources
  readonly stopping: AbortSignal
  /** Those who opened the KEK; null for a command that does not wait for them. */
  readonly custody: CustodyServices | null
  /** Anew, for each look at files that the command has changed since. */
  openSubject(): StartSubject
}

/** Locks the data folder for a command, so that no service runs on it, and releases it afterwards. Throws `ExitError`, which says what to do. */
export async function runOnStoppedService<T = CommandOutcome>(
  input: CommandInput,
  run: (command: StoppedService) => Promise<T>,
  openAdapters?: CustodianWait,
): Promise<T> {
  const { config } = input.settings()
  process.umask(0o077)
  const clock = makeSystemClock()
  const sink = openLogSink(STDERR)
  const log = makeLog(config.logLevel, sink, clock.now)
  const stopping = new AbortController().signal
  const resources = createResources((err) => log.error('close_failed', { err }))
  try {
    const storedKeys = async (): Promise<readonly WrappedKey[]> => {
      const subject = openSubject()
      return subject.storedKeys().finally(subject.close)
    }
    const opened = openAdapters?.(input, { clock, log, stopping, resources, storedKeys })
    const adapters = opened?.adapters ?? chooseAdapters(config)
    const openSubject = (): StartSubject => {
      const subject = makeStartSubject(config, {
        adapters,
        heldKeks: () => opened?.custody.custody.openKeks() ?? [],
        clock,
        log,
        claim: async () => claimFolder(config, resources),
        isServing: () => false,
        retry: (step) => retryUntilReachable(config, { log, clock, stopping }, step),
        acceptsOlder: true,
      })
      resources.add(subject.close)
      return subject
    }
    await requireStartChecks(openSubject(), 'folder')
    return await run({ config, clock, log, adapters, resources, stopping, custody: opened?.custody ?? null, openSubject })
  } catch (err) {
    throw explainStart(err, config, stopping)
  } finally {
    await resources.closeAll()
    sink.flush()
  }
}

/** What the database lacks, after the checks of a start. `from`: a file with more checkpoints. Changes nothing. */
export async function findLostAt(command: StoppedService, from: string | undefined): Promise<readonly LostEntries[]> {
  const subject = command.openSubject()
  await requireStartChecks(subject, 'data')
  const database = await subject.database()
  if (!database.hasSchema) throw new ExitError('invalidSettings', 'there is no database to accept.', { advice: nameDatabase })
  const lost = await findLostIn(command, { store: database, subject, from })
  await subject.close()
  return lost
}

export interface LostEntriesSource {
  readonly store: Parameters<typeof findLostEntries>[0]['store']
  readonly subject: StartSubject
  readonly from: string | undefined
  readonly others?: readonly KnownHead[]
}

/** Compares a database with the checkpoints of the data folder, and with those of another file. */
export async function findLostIn(
  { config, log, clock }: StoppedService,
  { store, subject, from, others = [] }: LostEntriesSource,
): Promise<readonly LostEntries[]> {
  const publicKeys = await makeAuditSigners(await subject.keyring()).publicKeys()
  const lines: string[] = []
  for (const { readLast } of listCheckpointDestinations(config, { clock, log })) lines.push(...((await readLast?.()) ?? []))
  if (from !== undefined) lines.unshift(...readLines(from))
  return findLostEntries({ store, lines, publicKeys, environment: config.environment, others })
}

/** What was accepted, for programs. */
export interface AcceptedDatabase {
  readonly lost: readonly LostEntries[]
  readonly backupAt: string | null
  /** Entries of the audit that are missing or were changed, which `audit verify` lists. */
  readonly faults: number
  /** Destinations of checkpoints that did not take the signed statement. */
  readonly notSent: readonly string[]
}

/** Accepts the database of the settings: an audit entry, the new ends of its chains, and a signed statement among the checkpoints. */
export async function acceptDatabase(
  command: StoppedService,
  { lost, backupAt }: Pick<AcceptedDatabase, 'lost' | 'backupAt'>,
): Promise<AcceptedDatabase> {
  const { config, clock, log } = command
  // The database that is accepted may have an epoch of before a failover.
  if (config.databaseUrl !== null) await (await import('./choose-primary.ts')).acceptOnlyPrimary(config)
  return onOpenStore(command, async ({ store, keyring, anchors }) => {
    const isLinked = await makeLinkCheck(store, keyring)
    const faults = await acceptRestored({
      store,
      anchors,
      clock,
      log,
      isLinked,
      lost,
      backupAt: backupAt === null ? null : Date.parse(backupAt),
    })
    const { line } = signRestoreStatement(await makeAuditSigners(keyring).active(), {
      environment: config.environment,
      at: new Date(clock.now()).toISOString(),
      heads: await listAuditHeads(store),
      lost,
      backupAt,
    })
    return { lost, backupAt, faults, notSent: await sendStatement(command, line) }
  })
}

/** Opens the store of a stopped service for writing, after the checks of a start, and closes it again. */
export async function onOpenStore<T>(command: StoppedService, run: (storage: Storage) => Promise<T>): Promise<T> {
  const { config, clock, log, adapters, stopping, custody } = command
  const resources = createResources((err) => log.error('close_failed', { err }))
  const endNow = (_exit: unknown, event: string, err: unknown): never => {
    throw err instanceof Error ? err : new Error(event)
  }
  try {
    noteFilesClosing(config.dataFolder)
    const held = custody === null ? {} : { custody: custody.custody }
    const storage = await openStorage(config, adapters, { clock, log, stopping, endNow, ...held }, resources)
    await openAuditChain({ ...storage, clock, log, stopping, retry: (step) => step() })
    await custody?.audit.attach(storage.store)
    return await run(storage)
  } finally {
    await resources.closeAll()
    noteFilesClosed(config.dataFolder)
  }
}

/** The names of the destinations that did not take it. */
async function sendStatement({ config, clock, log }: StoppedService, line: string): Promise<string[]> {
  const notSent: string[] = []
  for (const destination of listCheckpointDestinations(config, { clock, log })) {
    try {
      await destination.send(line, AbortSignal.timeout(sendTimeoutMs))
    } catch (err) {
      log.error('audit_checkpoint_failed', { destination: destination.name, err })
      notSent.push(destination.name)
    }
  }
  return notSent
}

/** Lines for people: what the database lacks. */
export function printLost(lost: readonly LostEntries[]): string[] {
  if (lost.length === 0) return ['It has every audit entry that is known.']
  const rows = lost.map(({ chain, afterSeq, untilSeq, from, to, checkpoints }) => [
    chain,
    untilSeq - afterSeq,
    afterSeq,
    untilSeq,
    from,
    to,
    checkpoints,
  ])
  return [
    'Audit entries that are known, and that it does not have:',
    printTable(['chain', 'entries', 'after entry', 'up to', 'from', 'to', 'checkpoints'], rows),
  ]
}

export function printAccepted({ faults, notSent }: AcceptedDatabase): string[] {
  const broken = `Accepted, although ${String(faults)} entries of the audit are missing or were changed. Start the service again, and run tessera audit verify.`
  return [
    faults === 0 ? 'Accepted. Start the service again.' : broken,
    ...notSent.map(
      (name) => `The destination ${name} of checkpoints did not take the signed statement: hand over the last line of the checkpoint file.`,
    ),
  ]
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (cause) {
    throw new ExitError('usage', `${path} cannot be read: give a file of checkpoints.`, { cause })
  }
}

const STDERR = 2
const sendTimeoutMs = 5000

const nameDatabase = 'Set TESSERA_DATA, and TESSERA_DATABASE_URL if it is in PostgreSQL, as the service has them.'

const confirmation =
  'tessera audit accept-restored makes the service accept a database that is older than what it recorded. Everything that was changed after ' +
  'that backup is lost: removed cards can be used again, used recovery codes and retired passwords work again, and payments may be missing. ' +
  'Stop every service on this database first. To go on, add --yes.'
