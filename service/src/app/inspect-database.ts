import type { DatabaseInspection } from '../store/inspection.ts'

import { openPrimaryRecord } from './primary-fence.ts'

/** Opens the cards' or the keys' database for reading: the embedded one in `folder` when there is no URL. */
export async function inspectDatabase(schema: 'cards' | 'keys', url: string | null, folder: string): Promise<DatabaseInspection> {
  // Each driver is loaded only if it is used.
  if (url === null) return (await import('../store/sqlite/inspect.ts')).inspectSqlite(folder, schema)
  return (await import('../store/postgres/inspect.ts')).inspectPostgres(url, schema, openPrimaryRecord(folder, schema))
}
