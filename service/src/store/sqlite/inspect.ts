import { statSync } from 'node:fs'
import { join } from 'node:path'

import type { DatabaseInspection } from '../inspection.ts'
import { countLaterMigrations, planMigrations, readMigrations } from '../migrations/migrations.ts'
import { connectReader, locationOf } from './connect.ts'
import { opening, restoreFile } from './fault.ts'
import { SQLITE_KEYS_FILE } from './keys.ts'
import { hasMigrationsTable, readAppliedMigrations } from './migrate.ts'
import { makeScanner } from './scanner.ts'
import { StoreDamaged } from '../store.ts'
import { SQLITE_FILE } from './sqlite.ts'
import { findWalDamage } from './wal.ts'

/**
 * Inspects the file of the cards or of the keys in a data folder, also while a service uses it. Throws `StoreDamaged`, also when transactions are missing
 * because the write-ahead log that a crash left behind was damaged.
 */
export function inspectSqlite(folder: string, schema: 'cards' | 'keys'): DatabaseInspection {
  const path = join(folder, schema === 'cards' ? SQLITE_FILE : SQLITE_KEYS_FILE)
  const known = readMigrations('sqlite', schema)
  // A start makes the file before it writes to it.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return nothingAt(path, () => planMigrations(known, []))
  const damage = findWalDamage(path)
  if (damage !== null) throw new StoreDamaged(`${path} is damaged (${damage})`, restoreFile)
  return opening(path, () => {
    const reader = connectReader(locationOf(path))
    try {
      const hasSchema = hasMigrationsTable(reader.db)
      const applied = hasSchema ? readAppliedMigrations(reader.db) : []
      return {
        kind: 'sqlite',
        file: path,
        hasSchema: applied.length > 0,
        appliedMigrations: applied.length,
        laterMigrations: countLaterMigrations(known, applied),
        durability: 'local',
        primaryRefusal: null,
        missingRights: [],
        pending: () => planMigrations(known, applied),
        read: async ({ statement, values, map }) => opening(path, () => map(reader.run(statement, values))),
        close: async () => reader.db.close(),
      }
    } catch (err) {
      reader.db.close()
      throw err
    }
  })
}

/** The same for a file that nothing writes, read by a thread: queries that read all entries keep no call waiting. */
export function inspectSqliteCopy(folder: string): DatabaseInspection {
  const inspection = inspectSqlite(folder, 'cards')
  if (inspection.file === null || !inspection.hasSchema) return inspection
  const scanner = makeScanner(locationOf(inspection.file))
  return {
    ...inspection,
    read: (query) => scanner.scan(query),
    async close() {
      await scanner.close()
      await inspection.close()
    },
  }
}

function nothingAt(path: string, pending: DatabaseInspection['pending']): DatabaseInspection {
  return {
    kind: 'sqlite',
    file: path,
    hasSchema: false,
    appliedMigrations: 0,
    laterMigrations: 0,
    durability: null,
    primaryRefusal: null,
    missingRights: [],
    pending,
    read: () => Promise.reject(new Error('the database does not exist yet')),
    close: async () => undefined,
  }
}
