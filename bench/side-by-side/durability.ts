import { statfsSync } from 'node:fs'

import { queryDatabase } from '../../fault/service-data.ts'

/** What a COMMIT of a database means. Figures of two vaults compare only where it means the same. */
export interface Durability {
  /** Settings as this database's connections have them: a role or a database may have its own. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether its files are in memory, where a sync costs nothing. */
  readonly isInMemory: boolean
}

export async function readDurability(databaseUrl: string): Promise<Durability> {
  const rows = await queryDatabase(
    databaseUrl,
    `select name, setting from pg_settings where name in (${[...durabilitySettings, 'data_directory'].map((name) => `'${name}'`).join(', ')})`,
  )
  const { data_directory: folder = '', ...settings } = Object.fromEntries(rows.map(({ name, setting }) => [String(name), String(setting)]))
  return { settings, isInMemory: isTemporaryFileSystem(folder) }
}

/** In words: what of it lets a COMMIT return before the row is on a disk; empty when nothing does. */
export function describeUnsafe({ settings }: Durability): string[] {
  return durabilitySettings
    .filter((name) => unsafeValues[name].includes(settings[name] ?? ''))
    .map((name) => `${name} is ${settings[name] ?? ''}`)
}

function isTemporaryFileSystem(folder: string): boolean {
  try {
    return statfsSync(folder).type === tmpfs
  } catch {
    // Of a server on another machine.
    return false
  }
}

const durabilitySettings = ['fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method'] as const
const unsafeValues: Readonly<Record<(typeof durabilitySettings)[number], readonly string[]>> = {
  fsync: ['off'],
  full_page_writes: ['off'],
  synchronous_commit: ['off'],
  wal_sync_method: [],
}
/** TMPFS_MAGIC of statfs(2). */
const tmpfs = 0x01021994
