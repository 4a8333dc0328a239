import { createResources, type Resources } from '../../app/lifecycle.ts'
import { openPrimaryRecord, sharedRecordPlace, type DatabaseName } from '../../app/primary-fence.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { openStorage } from '../../app/storage.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import { choosePrimary, findHosts, type HostState } from '../../store/postgres/choose-primary.ts'
import { decidePrimary, type PrimaryCandidate, type SeenPrimary } from '../../store/postgres/fence.ts'
import { openPostgresKeyStore } from '../../store/postgres/keys.ts'
import { makePrimaryRecord, newestOf, PrimaryRecordDamaged, type PrimaryRecord } from '../../store/postgres/primary-record.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { openAuditChain } from '../audit/open-chain.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { makeLog } from '../logging/log.ts'
import { openLogSink } from '../logging/sink.ts'

import { printTable, requireArguments, type CommandInput, type CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'

/** A database of which one host was chosen. */
interface Choice {
  readonly database: DatabaseName
  readonly found: readonly HostState[]
  readonly chosen: PrimaryCandidate
}

/** `tessera store choose-primary`: beside the running services, which follow the choice within a second or two. */
export async function runChoosePrimary(input: CommandInput): Promise<CommandOutcome> {
  const [host = ''] = requireArguments(input.args, 1, 1, 'store choose-primary <host:port> --yes')
  const { config } = input.settings()
  const choices = await findChoices(config, host)
  if (!input.options.has('yes')) throw new ExitError('usage', `${describeHosts(choices)}\n\n${confirmation(host)}`)
  try {
    const epochs = await beginEpochs(config, choices)
    await auditChoice(config, choices, host)
    return { exit: 'done', data: { chosen: { host, epochs } }, text: `Chosen: ${host}. The services follow it within two seconds.` }
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  }
}

/**
 * Begins a new epoch on the only server that accepts writes, of each database where the fence refuses it as older: an operator has accepted a restored
 * database, and with it the server that has it. Does nothing for the embedded database.
 */
export async function acceptOnlyPrimary(config: Config): Promise<void> {
  const { databaseUrl, keysDatabaseUrl } = config
  if (databaseUrl === null) return
  const choices: Choice[] = []
  for (const [database, url] of urlsOf(databaseUrl, keysDatabaseUrl)) {
    const found = await findHosts(url, database)
    const [only, ...others] = found.flatMap(({ primary }) => (primary === null ? [] : [primary]))
    if (only !== undefined && others.length === 0) choices.push({ database, found, chosen: only })
  }
  await beginEpochs(config, choices, (choice, seen) => decidePrimary([choice.chosen], seen).kind === 'refuse')
}

/**
 * The epochs by database. They are later than every one that was recorded, in the data folder or in the key store, so that every service follows; a record
 * that is damaged is written again.
 */
async function beginEpochs(
  config: Config,
  choices: readonly Choice[],
  isNeeded: (choice: Choice, seen: SeenPrimary | null) => boolean = () => true,
): Promise<Record<string, number>> {
  const epochs: Record<string, number> = {}
  const begin = async (choice: Choice, records: readonly PrimaryRecord[]): Promise<void> => {
    const recorded = await Promise.all(records.map(readUnlessDamaged))
    const seen = recorded.reduce(newestOf, null)
    if (!isNeeded(choice, seen)) return
    const { database, found, chosen } = choice
    const epoch = await choosePrimary(chosen, { found, seen, database })
    for (const record of records) await record.save({ epoch, timeline: chosen.timeline })
    epochs[database] = epoch
  }
  const [cards, keys] = (['cards', 'keys'] as const).map((database) => choices.find((choice) => choice.database === database))
  // The key store first: it has the record of the cards that all processes share.
  if (keys !== undefined) await begin(keys, [openPrimaryRecord(config.dataFolder, 'keys')])
  if (cards === undefined) return epochs
  const keyStore = await openPostgresKeyStore(
    // Where nobody chose among its servers, an old one that came back is refused as the service refuses it.
    keys === undefined
      ? { url: config.keysDatabaseUrl ?? config.databaseUrl ?? '', fence: { record: openPrimaryRecord(config.dataFolder, 'keys') } }
      : { url: keys.chosen.host },
  )
  try {
    await begin(cards, [openPrimaryRecord(config.dataFolder, 'cards'), makePrimaryRecord([sharedRecordPlace(keyStore)])])
  } finally {
    await keyStore.close()
  }
  return epochs
}

async function readUnlessDamaged(record: PrimaryRecord): Promise<SeenPrimary | null> {
  return record.read().catch((err: unknown) => {
    if (err instanceof PrimaryRecordDamaged) return null
    throw err
  })
}

function urlsOf(databaseUrl: string, keysDatabaseUrl: string | null): readonly (readonly [DatabaseName, string])[] {
  return [
    ['cards', databaseUrl],
    ['keys', keysDatabaseUrl ?? databaseUrl],
  ]
}

/** The databases that the host has a part in. Throws `ExitError` when it is in none, or accepts no writes. */
async function findChoices({ databaseUrl, keysDatabaseUrl }: Config, host: string): Promise<Choice[]> {
  if (databaseUrl === null)
    throw new ExitError('invalidSettings', 'TESSERA_DATABASE_URL is not set: the embedded database has one file and no primary.')
  const choices: Choice[] = []
  for (const [database, url] of urlsOf(databaseUrl, keysDatabaseUrl)) {
    const found = await findHosts(url, database)
    const named = found.find(({ label }) => label === host)
    if (named === undefined) continue
    if (named.primary === null)
      throw new ExitError(
        'unavailable',
        `${host} is ${named.state === 'standby' ? 'a standby' : 'not there'}: only a server that accepts writes can be chosen.`,
      )
    choices.push({ database, found, chosen: named.primary })
  }
  if (choices.length > 0) return choices
  throw new ExitError('usage', `no setting names the host ${host}. Write it with its port, as tessera shows it: db1:5432.`)
}

/** Into the audit of the chosen server, under the keys of the service. */
async function auditChoice(config: Config, choices: readonly Choice[], host: string): Promise<void> {
  const urlOf = (database: DatabaseName): string | null => choices.find((each) => each.database === database)?.chosen.host ?? null
  const chosen = {
    ...config,
    databaseUrl: urlOf('cards') ?? config.databaseUrl,
    keysDatabaseUrl: urlOf('keys') ?? config.keysDatabaseUrl,
  }
  const clock = makeSystemClock()
  const sink = openLogSink(STDERR)
  const log = makeLog('warn', sink, clock.now)
  const stopping = new AbortController().signal
  const resources: Resources = createResources((err) => log.error('close_failed', { err }))
  const endNow = (_exit: unknown, event: string, err: unknown): never => {
    throw err instanceof Error ? err : new Error(event)
  }
  try {
    const storage = await openStorage(chosen, chooseAdapters(config), { clock, log, stopping, endNow }, resources)
    await openAuditChain({ ...storage, clock, log, stopping, retry: (step) => step() })
    const entry = { at: clock.now(), actor: 'operator', action: 'database.primary_chosen', merchantId: '', subject: host, version: 0 }
    await storage.store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId: '', outcome: 'done' } })
  } finally {
    await resources.closeAll()
    sink.flush()
  }
}

function describeHosts(choices: readonly Choice[]): string {
  const rows = choices.flatMap(({ database, found }) =>
    found.map(({ label, state, primary }) => [database, label, state, primary?.epoch ?? '', primary?.timeline ?? '']),
  )
  return printTable(['database', 'host', 'state', 'epoch', 'timeline'], rows)
}

function confirmation(host: string): string {
  return (
    `This makes ${host} the primary for every service on this database, whatever the others have. Cards, payments and changes that only another ` +
    'server has are denied from then on. The later timeline is the server that was promoted last. To go on, add --yes.'
  )
}

const STDERR = 2
