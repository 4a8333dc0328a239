import { createHash } from 'node:crypto'

import type { Keyring } from '@tessera/vault/keyring'
import { type AuthenticatedTable, makeRowAuthenticator } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'
import { insertAuditEntry, listAuditOfSubject } from '../../store/audit.ts'
import { disclosuresTable } from '../../store/disclosures.ts'
import { MigrationRefused } from '../../store/migrations/migrations.ts'
import type { Value } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { listUnsignedRows, signRows, tablesToSign, type UnsignedRow } from '../../store/unsigned-rows.ts'

export interface RowSigningDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Signs the rows that have no MAC because they were written before their table had one, at the first start after that migration. That this was done
 * is stored in the key store, where somebody who writes the database cannot undo it: a key of its own marks it. Afterwards a row without a MAC is refused.
 * Returns the number of signed rows; null when it was done before.
 */
export async function signRowsOnce(deps: RowSigningDependencies): Promise<number | null> {
  const { store, keyring } = deps
  const isAudited = (await store.read(listAuditOfSubject('', auditSubject, 1))).length > 0
  if (keyring.list().some(({ purpose, owner }) => purpose === 'row_mac' && owner === markOwner)) {
    // The start that signed the rows was cut off before its audit entry.
    if (!isAudited) await audit(deps)
    return null
  }
  if (isAudited) {
    throw new MigrationRefused(
      'the audit says that the rows of this database were signed, but the key store does not know it: is it the key store of another database?',
    )
  }
  let signed = 0
  for (const table of tablesToSign) signed += await signTable(deps, table)
  await keyring.active('row_mac', markOwner)
  await audit(deps)
  return signed
}

/** A table whose rows are read and signed as they are. */
type SignedTable = (typeof tablesToSign)[number]

async function signTable({ store, keyring, environment }: RowSigningDependencies, table: SignedTable): Promise<number> {
  const mac = makeRowAuthenticator(keyring, environment, table as unknown as AuthenticatedTable<MacRow>)
  let signed = 0
  for (let after: readonly Value[] | null = null; ;) {
    const page: UnsignedRow[] = await store.read(listUnsignedRows(table, after, pageSize))
    const rows: { key: readonly Value[]; mac: Uint8Array }[] = []
    for (const { key, row } of page) {
      if (row !== null && isWorthSigning(table, row)) rows.push({ key, mac: (await mac.seal(row as MacRow)).mac })
    }
    if (rows.length > 0) await store.write(signRows, { table: table.name, rows })
    signed += rows.length
    after = page.at(-1)?.key ?? null
    if (page.length < pageSize) return signed
  }
}

interface MacRow {
  readonly mac: Uint8Array
}

/** A disclosure whose text is not that of its hash stays without a MAC, and so does a row that cannot be read. */
function isWorthSigning(table: SignedTable, row: object): boolean {
  if (table.name !== disclosuresTable.name) return true
  const { text, sha256 } = row as { text: string; sha256: string }
  return createHash('sha256').update(text).digest('hex') === sha256
}

async function audit({ store, clock }: RowSigningDependencies): Promise<void> {
  const entry = { at: clock.now(), actor: 'system', action: 'rows.signed', merchantId: '', subject: auditSubject, version: 0 }
  await store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId: '', outcome: 'done' } })
}

/** The owner of the key that marks the end of the signing; named after the migration. */
const markOwner = 'rows_signed_20'
const auditSubject = 'rows'
const pageSize = 500
