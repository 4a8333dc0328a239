import type { WrappedKey } from '@tessera/vault/keyring'

import { listKeys } from './keys.ts'
import type { Migration } from './migrations/migrations.ts'
import type { PrimaryRefused, Store } from './store.ts'
import type { Read } from './transaction.ts'

/** A database as it is found: opened for reading, neither created nor migrated. For the checks of a start and for `tessera doctor`. */
export interface DatabaseInspection {
  readonly kind: Store['kind']
  /** The path of the embedded database's file; null on PostgreSQL. */
  readonly file: string | null
  /** Whether it has a schema of Tessera. */
  readonly hasSchema: boolean
  /** How many migrations it has. */
  readonly appliedMigrations: number
  /** How many of them this program does not know: those of a later version, which only added to the schema. */
  readonly laterMigrations: number
  /** The migrations that the next start applies. Throws `MigrationRefused` when this program cannot use the database. */
  pending(): readonly Migration[]
  /** What acknowledged commits survive; null for a database that does not exist yet. */
  readonly durability: 'local' | 'replicated' | null
  /** Why a store on PostgreSQL would not be opened, when its primary is older than the one that was followed last. */
  readonly primaryRefusal: PrimaryRefused | null
  /** What the user may not do and a start needs, one sentence each, and what grants it. */
  readonly missingRights: readonly MissingRight[]
  read<T>(query: Read<T>): Promise<T>
  close(): Promise<void>
}

export interface MissingRight {
  readonly what: string
  /** A statement for somebody who may grant it. */
  readonly grant: string
}

/** The keys in a key store that is inspected. */
export async function listStoredKeys(inspection: DatabaseInspection): Promise<readonly WrappedKey[]> {
  return inspection.hasSchema ? inspection.read({ ...listKeys, values: [] }) : []
}
