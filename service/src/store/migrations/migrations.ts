import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export type Dialect = 'sqlite' | 'postgres'

/** A numbered step of a schema, forward only. Its text, comments included, never changes: its checksum is stored in every database. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
  /** SHA-256 of the text, hex; stored with the number, so that an altered migration is detected. */
  readonly checksum: string
  /** The first line is `-- breaking` unless it only adds to the schema: programs that do not know it cannot run on it. */
  readonly breaking: boolean
}

/** A migration as recorded in the database. */
export interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  /** Whether it only added to the schema, so that a program that does not know it goes on; as the program recorded that applied it. */
  readonly isCompatible?: boolean
}

/** The migrations of a schema in one dialect, by number from 1 without gaps. `folder` is beside this file. */
export function readMigrations(dialect: Dialect, folder: 'cards' | 'keys' = 'cards'): readonly Migration[] {
  const directory = new URL(folder === 'cards' ? './' : './keys/', import.meta.url)
  const files = readdirSync(directory).filter((file) => file.endsWith(`.${dialect}.sql`))
  const migrations = files.sort().map((file) => readMigration(directory, file, dialect))
  migrations.forEach((migration, at) => {
    if (migration.number !== at + 1) throw new Error(`migration ${at + 1} of ${dialect} is missing`)
  })
  return migrations
}

/** Logs one line for a new database, and one line per migration for an existing one. */
export function logMigrations(applied: readonly Migration[], log: LogMigrations | undefined): void {
  const last = applied.at(-1)
  if (last !== undefined && applied[0]?.number === 1) return log?.('store_created', { number: last.number })
  for (const { number, name, breaking } of applied) log?.('store_migrated', { number, name, breaking })
}

export type LogMigrations = (event: string, fields: Readonly<Record<string, string | number | boolean>>) => void

/**
 * The migrations still to be applied. A newer database is accepted as long as its later migrations are compatible: so an upgrade can be taken back. Throws
 * `MigrationRefused` when a later one is breaking, when one is missing, or when another text was recorded.
 */
export function planMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] {
  for (const [at, each] of [...applied].sort((a, b) => a.number - b.number).entries()) {
    const ours = known[at]
    if (ours === undefined) {
      if (each.isCompatible === true) continue
      throw new MigrationRefused(
        `the database is newer than this program: it has migration ${each.number} (${each.name}), and this program knows ${known.length}. ` +
          'Start the version that wrote it, or a newer one; to go back, restore a backup of database and key store from before the upgrade',
      )
    }
    if (ours.number !== each.number)
      throw new MigrationRefused(`the database lacks migration ${ours.number} (${ours.name}) but has later ones. ${restoreIt}`)
    if (ours.checksum !== each.checksum) {
      throw new MigrationRefused(
        `migration ${each.number} (${each.name}) was applied with another text than this program has. ${restoreIt}`,
      )
    }
  }
  return known.slice(applied.length)
}

/** How many of the migrations that a database has this program does not know. */
export function countLaterMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): number {
  return applied.filter(({ number }) => number > known.length).length
}

const restoreIt = 'It was changed by hand or by another build: start the build that wrote it, or restore a backup'

/** The database and this program do not match; the message says why, for the person who starts it. */
export class MigrationRefused extends Error {}

function readMigration(directory: URL, file: string, dialect: Dialect): Migration {
  const match = /^([0-9]{4})-([a-z0-9-]+)\.[a-z]+\.sql$/.exec(file)
  if (match === null) throw new Error(`a migration is named 0001-word.${dialect}.sql, not ${file}`)
  // A checkout may change line ends; the checksum must not depend on the platform.
  const text = readFileSync(new URL(file, directory), 'utf8').replaceAll('\r\n', '\n')
  return {
    number: Number(match[1]),
    name: match[2] ?? '',
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
    breaking: text.startsWith('-- breaking'),
  }
}
