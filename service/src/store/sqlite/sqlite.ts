import { makeStore } from '../answers.ts'
import { StoreUnavailable } from '../store.ts'
import type { Store } from '../store.ts'
import { sql } from '../statement.ts'
import { startCommitter } from './committer.ts'
import { connectReader, connectWriter, makeDatabaseFile } from './connect.ts'
import { tellMigrated, type TellMigrated } from '../migrations/migrations.ts'
import { migrateSqlite } from './migrate.ts'
import type { Migration } from '../migrations/migrations.ts'

export interface SqliteStart {
  /** Made (0700) when it is not there. */
  readonly folder: string
  readonly log?: TellMigrated
  /** Called when what is durable is not known any more; by default the service ends at once, without answering. */
  readonly exit?: (cause: Error) => void
  /** Largest size of the database in pages of 4 KiB; as the disk allows when not given. */
  readonly maxPages?: number
}

/** Opens the embedded store: migrates, starts the thread that writes, and reads beside it. Throws `MigrationRefused` and what SQLite says. */
export async function openSqliteStore({ folder, log, exit = endService, maxPages }: SqliteStart): Promise<Store> {
  const path = makeDatabaseFile(folder, SQLITE_FILE)
  tellMigrated(migrate(path), log)

  const committer = await startCommitter({ path, maxPages: maxPages ?? null }, exit)
  const reader = connectReader(path)
  let open = true
  return makeStore({
    durability: 'local',
    write: (name, ask) => committer.write(name, ask),
    read: async ({ statement, values, tell }) => {
      if (!open) throw new StoreUnavailable('the store is closed')
      return tell(reader.ask(statement, values))
    },
    ping: async () => {
      if (!open) throw new StoreUnavailable('the store is closed')
      reader.ask(anything, [])
    },
    close: async (deadlineMs) => {
      if (!open) return
      open = false
      // The reader first: whoever closes last writes the WAL back, and a reader cannot.
      reader.db.close()
      await committer.close(deadlineMs)
    },
  })
}

function migrate(path: string): readonly Migration[] {
  const writer = connectWriter(path, null)
  try {
    return migrateSqlite(writer.db, 'cards')
  } finally {
    writer.db.close()
  }
}

function endService(cause: Error): void {
  process.stderr.write(`tessera ends: ${cause.message}\n`)
  process.exit(EXIT_STORE_LOST)
}

const anything = sql`select 1 as one`
export const SQLITE_FILE = 'tessera.db'
/** EX_SOFTWARE of sysexits.h: the service cannot vouch for what it kept. */
const EXIT_STORE_LOST = 70
