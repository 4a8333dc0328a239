import { readText } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Read } from '../transaction.ts'
import { connectUnless, type Primary } from './primary.ts'
import type { Readers } from './readers.ts'
import type { Session } from './session.ts'

/**
 * Gathers the statistics of each table that has grown tenfold since they were gathered last, as autovacuum does within a minute: until then PostgreSQL keeps
 * the plans that it has made for the empty tables of a new database (decision 80).
 */
export interface GrowthWatch {
  close(): void
}

export function watchGrowth(primary: Primary, readers: Readers): GrowthWatch {
  let [isRunning, isClosed, notBefore] = [false, false, 0]
  const look = async (): Promise<void> => {
    if (isRunning || performance.now() < notBefore) return
    isRunning = true
    try {
      const tables = await readers.read(listGrownTables())
      if (tables.length > 0) await analyze(tables)
    } catch {
      // It only makes plans better. What is wrong with the server is reported by those who need it.
      notBefore = performance.now() + pauseAfterFailureMs
    } finally {
      isRunning = false
    }
  }
  const analyze = async (tables: readonly string[]): Promise<void> => {
    const session = await connectUnless(primary, () => isClosed)
    await gatherStatistics(session, tables).finally(() => session.end())
  }
  const timer = setInterval(() => void look(), lookEveryMs).unref()
  return {
    close: () => {
      isClosed = true
      clearInterval(timer)
    },
  }
}

// The size is that of the file: the counts of pg_stat_user_tables are late, and gone after a crash.
const selectGrown = sql`
  select quote_ident(c.relname) as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and pg_has_role(c.relowner, 'usage')
    and pg_relation_size(c.oid) > current_setting('block_size')::bigint * case when c.reltuples < 0 then 1 else 10 * greatest(c.relpages, 1) end
  order by c.relname`

/** Tables whose files are larger than a page and have no statistics, or are ten times as large as when they were gathered. */
export function listGrownTables(): Read<string[]> {
  return { statement: selectGrown, values: [], map: (rows) => rows.map((row) => readText(row, 'name')) }
}

/** It reads 30,000 rows of a table at most, and waits for no lock: a session that has it gathers the same statistics, or changes the table. */
export async function gatherStatistics(session: Session, tables: readonly string[]): Promise<void> {
  await session.execute(`set lock_timeout = '100ms'`)
  for (const table of tables) await session.execute(`analyze ${table}`, analyzeMs)
}

const lookEveryMs = 1000
const analyzeMs = 30_000
const pauseAfterFailureMs = 5000
