import type { Keyring } from '@tessera/vault/keyring'
import { type AuthenticatedTable, makeRowAuthenticator, type RowAuthenticator } from '@tessera/vault/rowmac'

import { boundTables, findStoredRow, listStoredRows, type StoredRow } from '../../store/bound-tables.ts'
import type { Value } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

import { nextTurn } from './verify.ts'

export interface BoundRowCheckDependencies {
  readonly keyring: Pick<Keyring, 'active' | 'byId'>
  readonly environment: string
}

/** A row of a table with a MAC that this service did not write as it is. */
export interface BoundRowFault {
  readonly table: string
  /** The values of its key. */
  readonly id: string
  /** '' where its rows name none, or cannot be read. What the row says may be forged. */
  readonly merchantId: string
  readonly what: string
}

/**
 * Compares the MAC of every row of the tables whose versions are not in the audit. It also finds rows that nobody reads, because a column by which
 * they are looked up was changed. Yields null for a row without a fault.
 */
export async function* checkBoundRows(
  store: Store,
  { keyring, environment }: BoundRowCheckDependencies,
): AsyncGenerator<BoundRowFault | null> {
  for (const table of boundTables) {
    const mac = makeRowAuthenticator(keyring, environment, table as unknown as AuthenticatedTable<MacRow>)
    for (let after: readonly Value[] | null = null; ;) {
      const page: StoredRow[] = await store.read(listStoredRows(table, after, pageLength))
      for (const found of page) yield await checkRow(store, { table, mac, found })
      after = page.at(-1)?.key ?? null
      if (page.length < pageLength) break
      await nextTurn()
    }
  }
}

interface RowToCheck {
  readonly table: (typeof boundTables)[number]
  readonly mac: RowAuthenticator<MacRow>
  readonly found: StoredRow
}

/** A row may change during the check, so a fault counts only when it persists over several reads. */
async function checkRow(store: Store, { table, mac, found }: RowToCheck): Promise<BoundRowFault | null> {
  let current: StoredRow | null = found
  let what = ''
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (current === null) return null
    const { row } = current
    if (!('brokenAt' in row) && (await mac.hasValidMac(row as MacRow))) return null
    what = 'brokenAt' in row ? `its row cannot be read: column ${row.brokenAt} is broken` : 'its row was changed: the row MAC is wrong'
    current = await store.read(findStoredRow(table, current.key))
  }
  const merchantId = 'merchantId' in found.row && typeof found.row.merchantId === 'string' ? found.row.merchantId : ''
  return { table: table.name, id: found.key.map(formatKey).join(' '), merchantId, what }
}

function formatKey(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

interface MacRow {
  readonly mac: Uint8Array
}

const pageLength = 500
const maxAttempts = 3
