import { inspectDatabase } from '../../app/inspect-database.ts'
import { openPrimaryRecord, type DatabaseName } from '../../app/primary-fence.ts'
import type { Migration } from '../../store/migrations/migrations.ts'
import { readHosts } from '../../store/postgres/hosts.ts'
import { KEYS_SCHEMA, migratePostgres } from '../../store/postgres/migrate.ts'
import { makePrimary } from '../../store/postgres/primary.ts'
import type { Session } from '../../store/postgres/session.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { printTable, type CommandInput, type CommandOutcome } from './command.ts'
import { runDistribute } from './distribute.ts'
import { explainStart } from './explain-start.ts'

/** The changes that one database lacks. */
interface PendingChanges {
  readonly database: DatabaseName
  readonly pending: readonly Migration[]
}

/** `tessera migrate`: the schema of PostgreSQL, before the processes of an upgrade are restarted. */
export async function runMigrate(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  if (config.databaseUrl === null) {
    const advice = 'Stop the service and start the new version.'
    throw new ExitError('invalidSettings', 'the embedded database is migrated by the start, before anything uses it.', { advice })
  }
  try {
    const changes = await Promise.all([findChanges(config, 'cards'), findChanges(config, 'keys')])
    if (input.options.has('distribute')) {
      if (changes.some(({ pending }) => pending.length > 0))
        throw new ExitError('usage', 'the schema lacks changes of this version: apply them first, with tessera migrate --yes.')
      return await onPrimary(config, 'cards', (session) => runDistribute(input, session))
    }
    const rows = changes.flatMap(({ database, pending }) =>
      pending.map(({ number, name, breaking }) => [database, String(number), name, breaking ? 'breaking' : 'adds only']),
    )
    const data = {
      pending: rows.map(([database, number, name, kind]) => ({ database, number: Number(number), name, breaking: kind === 'breaking' })),
    }
    if (rows.length === 0) return { exit: 'done', data, text: 'The schema has everything that this version needs.' }
    const table = printTable(['database', 'number', 'name', 'beside the previous version'], rows)
    const isBreaking = changes.some(({ pending }) => pending.some(({ breaking }) => breaking))
    if (isBreaking && input.options.has('yes') && !input.options.has('breaking'))
      throw new ExitError(
        'usage',
        `${table}\n\nServices of the previous version fail on what is breaking: stop them, and repeat this with --breaking.`,
      )
    if (!input.options.has('yes')) return { exit: 'done', data, text: `${table}\n\nNothing was changed. To apply it: --yes` }
    for (const { database, pending } of changes) if (pending.length > 0) await apply(input, config, database, pending.length)
    return {
      exit: 'done',
      data,
      text: `${String(rows.length)} changes are applied. Restart the services with this version, one after the other.`,
    }
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  }
}

async function findChanges(config: Config, database: DatabaseName): Promise<PendingChanges> {
  const url = database === 'keys' ? (config.keysDatabaseUrl ?? config.databaseUrl) : config.databaseUrl
  const inspection = await inspectDatabase(database, url, config.dataFolder)
  try {
    if (inspection.hasSchema) return { database, pending: inspection.pending() }
    throw new ExitError('invalidSettings', `the database of the ${database} has no schema yet.`, { advice: 'The first start creates it.' })
  } finally {
    await inspection.close()
  }
}

async function apply(input: CommandInput, config: Config, database: DatabaseName, total: number): Promise<void> {
  const startedAt = performance.now()
  try {
    await onPrimary(config, database, (session) =>
      migratePostgres(session, database, (_, left) => {
        const done = total - left
        input.progress.show({ stage: `migrations of the ${database}`, done, total, seconds: (performance.now() - startedAt) / 1000 })
      }),
    )
  } finally {
    input.progress.end()
  }
}

/** Runs something on a connection to the primary. */
async function onPrimary<T>(config: Config, database: DatabaseName, run: (session: Session) => Promise<T>): Promise<T> {
  const { databaseUrl, keysDatabaseUrl, dataFolder } = config
  const url = (database === 'keys' ? keysDatabaseUrl : null) ?? databaseUrl ?? ''
  const searchPath = database === 'keys' ? KEYS_SCHEMA : null
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe: false, searchPath, record: openPrimaryRecord(dataFolder, database) })
  try {
    const session = await primary.connect(() => undefined)
    try {
      return await run(session)
    } finally {
      await session.end()
    }
  } finally {
    primary.close()
  }
}
