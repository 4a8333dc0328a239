import { readInteger, readText } from '../columns.ts'
import type { DatabaseInspection, MissingRight } from '../inspection.ts'
import { countLaterMigrations, planMigrations, readMigrations } from '../migrations/migrations.ts'
import { sql, type Row } from '../statement.ts'
import { KEYS_SCHEMA, listAppliedMigrations, startError } from './migrate.ts'
import { readHosts } from './hosts.ts'
import { makePrimary } from './primary.ts'
import type { PrimaryRecord } from './primary-record.ts'
import type { Session } from './session.ts'

/**
 * Inspects the schema of the cards or of the keys on a server, with a connection of its own. Throws `StoreUnavailable`, `StoreRefused`, and `PrimaryRefused`
 * while two servers accept writes.
 */
export async function inspectPostgres(url: string, schema: 'cards' | 'keys', record?: PrimaryRecord): Promise<DatabaseInspection> {
  const primary = makePrimary({
    hosts: readHosts(url),
    allowUnsafe: false,
    searchPath: schema === 'keys' ? KEYS_SCHEMA : null,
    isReadOnly: true,
    ...(record === undefined ? {} : { record }),
  })
  const session = await primary.connect(() => undefined).finally(() => primary.close())
  try {
    await session.execute('set default_transaction_read_only = on')
    const [row] = await session.query(schema === 'cards' ? selectCardRights : selectKeyRights, schema === 'cards' ? [] : [KEYS_SCHEMA])
    if (row === undefined) throw new Error('the server returned no rights')
    const applied = readInteger(row, 'has_table') === 1 && readInteger(row, 'may_use') === 1 ? await listAppliedMigrations(session) : []
    const known = readMigrations('postgres', schema)
    return {
      kind: 'postgres',
      file: null,
      hasSchema: applied.length > 0,
      appliedMigrations: applied.length,
      laterMigrations: countLaterMigrations(known, applied),
      durability: primary.durability,
      primaryRefusal: primary.refusal,
      missingRights: schema === 'cards' ? cardRights(row) : keyRights(row),
      pending: () => planMigrations(known, applied),
      read: async ({ statement, values, map }) => {
        const rows = await session.query(statement, values).catch((err: unknown) => {
          throw startError(err)
        })
        return map(rows)
      },
      close: () => session.end(),
    }
  } catch (err) {
    await endQuietly(session)
    throw startError(err)
  }
}

function cardRights(row: Row): MissingRight[] {
  const [user, schema] = [readText(row, 'user_name'), readText(row, 'schema_name')]
  if (schema === '') {
    const what = `the user ${user} may use no schema of its search_path`
    return [{ what, grant: `GRANT USAGE, CREATE ON SCHEMA public TO ${quoted(user)}` }]
  }
  const rights: MissingRight[] = []
  if (readInteger(row, 'may_create') === 0)
    rights.push({
      what: `the user ${user} may not create tables in the schema ${schema}`,
      grant: `GRANT USAGE, CREATE ON SCHEMA ${quoted(schema)} TO ${quoted(user)}`,
    })
  return [...rights, ...ownership(row, user)]
}

function keyRights(row: Row): MissingRight[] {
  const [user, database] = [readText(row, 'user_name'), readText(row, 'database_name')]
  if (readInteger(row, 'exists_already') === 0) {
    if (readInteger(row, 'may_create_schema') === 1) return []
    const what = `the user ${user} may not create the schema ${KEYS_SCHEMA} of the data keys in the database ${database}`
    return [{ what, grant: `CREATE SCHEMA ${KEYS_SCHEMA} AUTHORIZATION ${quoted(user)}` }]
  }
  if (readInteger(row, 'may_create') === 0 || readInteger(row, 'may_use') === 0) {
    const what = `the user ${user} may not create tables in the schema ${KEYS_SCHEMA} of the data keys`
    return [{ what, grant: `GRANT USAGE, CREATE ON SCHEMA ${KEYS_SCHEMA} TO ${quoted(user)}` }]
  }
  return ownership(row, user)
}

/** Only the owner of a table may change it, as migrations do. */
function ownership(row: Row, user: string): MissingRight[] {
  const owner = readText(row, 'foreign_owner')
  if (owner === '') return []
  return [
    {
      what: `the tables belong to ${owner}, and the user ${user} is not a member of it`,
      grant: `GRANT ${quoted(owner)} TO ${quoted(user)}`,
    },
  ]
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

async function endQuietly(session: Session): Promise<void> {
  await session.end().catch(() => undefined)
}

/** `current_schema()` is null when the user may use no schema of its search_path. */
const selectCardRights = sql`
  select current_user::text as user_name, coalesce(current_schema()::text, '') as schema_name,
    case when current_schema() is null then 0 else 1 end as may_use,
    case when current_schema() is not null and has_schema_privilege(current_schema()::text, 'create') then 1 else 0 end as may_create,
    case when to_regclass('migrations') is null then 0 else 1 end as has_table,
    coalesce((select tableowner::text from pg_tables
      where schemaname = current_schema() and tablename = 'migrations' and not pg_has_role(tableowner, 'usage')), '') as foreign_owner`

const selectKeyRights = sql`
  select current_user::text as user_name, current_database()::text as database_name,
    case when exists (select 1 from pg_namespace where nspname = $1::text) then 1 else 0 end as exists_already,
    case when has_database_privilege(current_database(), 'create') then 1 else 0 end as may_create_schema,
    case when (select bool_or(has_schema_privilege(oid, 'usage')) from pg_namespace where nspname = $1::text) then 1 else 0 end as may_use,
    case when (select bool_or(has_schema_privilege(oid, 'create')) from pg_namespace where nspname = $1::text) then 1 else 0 end as may_create,
    case when exists (select 1 from pg_tables where schemaname = $1::text and tablename = 'migrations') then 1 else 0 end as has_table,
    coalesce((select tableowner::text from pg_tables
      where schemaname = $1::text and tablename = 'migrations' and not pg_has_role(tableowner, 'usage')), '') as foreign_owner`
