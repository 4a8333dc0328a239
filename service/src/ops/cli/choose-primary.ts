import { openPrimaryRecord, sharedRecordPlace, type DatabaseName } from '../../app/primary-fence.ts'
import { choosePrimary, findHosts, type HostState } from '../../store/postgres/choose-primary.ts'
import { decidePrimary, type PrimaryCandidate, type SeenPrimary } from '../../store/postgres/fence.ts'
import { openPostgresKeyStore, type PostgresKeyStore } from '../../store/postgres/keys.ts'
import { makePrimaryRecord, newestOf, PrimaryRecordDamaged, type PrimaryRecord } from '../../store/postgres/primary-record.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'

import { printTable, requireArguments, type CommandInput, type CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'
import { withPrimaryAudit } from './primary-audit.ts'

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
  const urlOf = (database: DatabaseName): string | null => choices.find((choice) => choice.database === database)?.chosen.host ?? null
  const chosen = {
    ...config,
    databaseUrl: urlOf('cards') ?? config.databaseUrl,
    keysDatabaseUrl: urlOf('keys') ?? config.keysDatabaseUrl,
  }
  try {
    const epochs = await withPrimaryAudit(input, { host, chosen, openKeys: () => openChosenKeyStore(config, choices) }, () =>
      beginEpochs(config, choices),
    )
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
  const keyStore = await openChosenKeyStore(config, choices)
  try {
    await begin(cards, [openPrimaryRecord(config.dataFolder, 'cards'), makePrimaryRecord([sharedRecordPlace(keyStore)])])
  } finally {
    await keyStore.close()
  }
  return epochs
}

/** The key store of the choice. Where nobody chose among its servers, an old one that came back is refused as the service refuses it. */
async function openChosenKeyStore(config: Config, choices: readonly Choice[]): Promise<PostgresKeyStore> {
  const keys = choices.find(({ database }) => database === 'keys')
  if (keys !== undefined) return openPostgresKeyStore({ url: keys.chosen.host })
  const fence = { record: openPrimaryRecord(config.dataFolder, 'keys') }
  return openPostgresKeyStore({ url: config.keysDatabaseUrl ?? config.databaseUrl ?? '', fence })
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
