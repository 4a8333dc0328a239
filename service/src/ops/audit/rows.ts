import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type RowAuthenticator } from '@tessera/vault/rowmac'

import { auditedSubjectsMax, findNewestAudited, listNewestAudited } from '../../store/audit.ts'
import { RowBroken } from '../../store/columns.ts'
import {
  countRows,
  findStoredRow,
  listStoredRows,
  macTables,
  type MacRow,
  type MacTable,
  type MacTableKind,
  type StoredRow,
} from '../../store/mac-tables.ts'
import { listOperations } from '../../store/operations.ts'
import { operationsDigestOf } from '../../store/operations-digest.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import type { Value } from '../../store/statement.ts'
import { type Store, StoreDamaged } from '../../store/store.ts'
import type { Walk } from '../../store/walk.ts'

/** A stored row that this service did not write as it is, or a table that cannot be read on. */
export interface RowFault {
  readonly kind: MacTableKind | 'integrity'
  readonly table: string
  readonly id: string
  /** '' where its rows name none. What the row says may be forged. */
  readonly merchantId: string
  readonly what: string
}

/** A row that was checked; `kind` is null for a table that could not be read to its end. */
export interface CheckedRow {
  readonly kind: MacTableKind | null
  readonly fault: RowFault | null
}

export interface RowCheckDependencies {
  readonly store: Pick<Store, 'read'>
  readonly macOf: (table: MacTable['table']) => Pick<RowAuthenticator<MacRow>, 'hasValidMac'>
  readonly walk: Walk
}

export function makeMacOf(keyring: Pick<Keyring, 'active' | 'byId'>, environment: string): RowCheckDependencies['macOf'] {
  return (table) => makeRowAuthenticator(keyring, environment, table)
}

/**
 * Compares the MAC of every row of every table that has one, and the rows whose versions are in the audit with their newest version there. It also finds
 * rows that nobody reads, because a column by which they are looked up was changed.
 */
export async function* checkRows(deps: RowCheckDependencies): AsyncGenerator<CheckedRow> {
  for (const of of macTables) {
    try {
      deps.walk.begin(`rows of ${of.table.name}`, await deps.store.read(countRows(of.table)))
      yield* checkTable(of, deps)
    } catch (err) {
      if (!(err instanceof StoreDamaged)) throw err
      const { name: table } = of.table
      yield { kind: null, fault: { kind: 'integrity', table, id: '', merchantId: '', what: `the table cannot be read: ${err.message}` } }
    }
  }
}

async function* checkTable(of: MacTable, deps: RowCheckDependencies): AsyncGenerator<CheckedRow> {
  const mac = deps.macOf(of.table)
  const { kind, table } = of
  for (let after: readonly Value[] | null = null; ;) {
    const page: StoredRow[] = await deps.store.read(listStoredRows(of, after, pageLength))
    const newest = of.id === null ? new Map<string, NewestVersion>() : await findVersions(deps.store, page)
    for (let at = 0; at < page.length; at += concurrency) {
      const rows = page.slice(at, at + concurrency)
      const faults = await Promise.all(rows.map((row) => persistentFault({ ...deps, of, mac }, row, newest.get(row.id) ?? null)))
      for (const [i, { id, merchantId }] of rows.entries()) {
        const what = faults[i] ?? null
        yield { kind, fault: what === null ? null : { kind, table: table.name, id, merchantId, what } }
      }
      await deps.walk.advance(rows.length)
    }
    after = page.at(-1)?.key ?? null
    if (page.length < pageLength) return
  }
}

/** The newest version in the audit; `unreadable` when its entry is broken. */
type NewestVersion = { readonly version: number; readonly mac: Uint8Array } | 'unreadable'

async function findVersions(store: Pick<Store, 'read'>, page: readonly StoredRow[]): Promise<Map<string, NewestVersion>> {
  const ids = page.map(({ id }) => id)
  try {
    return await store.read(listNewestAudited(ids))
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
  }
  const found = new Map<string, NewestVersion>()
  for (const id of ids) {
    const newest = await findVersion(store, id)
    if (newest !== null) found.set(id, newest)
  }
  return found
}

async function findVersion(store: Pick<Store, 'read'>, id: string): Promise<NewestVersion | null> {
  try {
    return await store.read(findNewestAudited(id))
  } catch (err) {
    if (err instanceof RowBroken) return 'unreadable'
    throw err
  }
}

interface RowCheck extends RowCheckDependencies {
  readonly of: MacTable
  readonly mac: Pick<RowAuthenticator<MacRow>, 'hasValidMac'>
}

/** A row may change during the check, so a fault counts only when it persists over several reads. */
async function persistentFault(check: RowCheck, first: StoredRow, newest: NewestVersion | null): Promise<string | null> {
  let what = await faultOf(check, first, newest)
  for (let attempt = 1; what !== null && attempt < maxAttempts; attempt++) {
    const row = await check.store.read(findStoredRow(check.of, first.key))
    if (row === null) return null
    what = await faultOf(check, row, check.of.id === null ? null : await findVersion(check.store, row.id))
  }
  return what
}

async function faultOf(
  { of, mac, store }: RowCheck,
  { row, version, id }: StoredRow,
  newest: NewestVersion | null,
): Promise<string | null> {
  if ('brokenAt' in row) return `its row cannot be read: column ${row.brokenAt} is broken`
  const valid = mac.hasValidMac(row)
  if (!(valid instanceof Promise ? await valid : valid)) return 'its row was changed: the row MAC is wrong'
  if (of.id === null) return null
  if (newest === 'unreadable') return `the audit entry of its newest version cannot be read (${id})`
  if (newest === null) return hasEntries(of, version) ? 'the audit has no entry for it' : null
  if (newest.version > version) return `an older row was restored: it has version ${version}, the audit ${newest.version}`
  if (newest.version < version) return `the audit has no entry for its version ${version}`
  if (Buffer.compare(newest.mac, row.mac) !== 0) return 'its row MAC is not the one in the audit'
  return of.kind === 'receipt' ? operationsFault(store, row as unknown as ReceiptRow) : null
}

/** A sign-in has an entry of its own when it is ended, and a webhook endpoint from before endpoints had versions has one from its next change. */
function hasEntries({ kind }: MacTable, version: number): boolean {
  return version > 1 || (kind !== 'session' && kind !== 'endpoint')
}

/** The MACs of the operations are compared with their table. Receipts from before there were digests do not say which operations they have. */
async function operationsFault(store: Pick<Store, 'read'>, receipt: ReceiptRow): Promise<string | null> {
  if (receipt.operationsDigest.length === 0) return null
  try {
    const digest = operationsDigestOf(await store.read(listOperations(receipt)))
    return Buffer.compare(receipt.operationsDigest, digest) === 0 ? null : 'an operation of it was deleted, inserted or restored'
  } catch (err) {
    if (err instanceof RowBroken) return 'an operation of it cannot be read'
    throw err
  }
}

const pageLength = auditedSubjectsMax
const concurrency = 25
const maxAttempts = 3
