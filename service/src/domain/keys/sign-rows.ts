import { createHash } from 'node:crypto'

import type { Keyring } from '@tessera/vault/keyring'
import { type AuthenticatedTable, makeRowAuthenticator } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'
import { hasAuditedAction, insertAuditEntry } from '../../store/audit.ts'
import { disclosuresTable } from '../../store/disclosures.ts'
import type { Value } from '../../store/statement.ts'
import { type Store, type StoreLock, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'
import { listRowsToSign, signRows, tablesToSign, type RowToSign, type SignedRow } from '../../store/unsigned-rows.ts'

import type { AuditActor } from '../request-context.ts'

import { KeyStoreMismatch } from './key-store-mismatch.ts'

export interface RowSigningDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Clock
  readonly log: { info(event: string, fields: { readonly table?: string; readonly count?: number }): void }
  /** Ends the signing; the next start continues it. */
  readonly stopping: AbortSignal
  /** Runs the step again while it throws `StoreUnavailable`, as long as a start waits for its database. */
  readonly retry: <T>(step: () => Promise<T>) => Promise<T>
}

/**
 * Signs the rows that have no MAC because they were written before their table had one, at the first start after that migration. That this was done
 * is stored in the key store, where somebody who writes the database cannot undo it: a key of its own marks it. Afterwards a row without a MAC is refused.
 * One process at a time decides and signs, under a lock of the database. Throws `KeyStoreMismatch`. Returns the number of signed rows; null when it was
 * done before.
 */
export async function signRowsOnce(deps: RowSigningDependencies): Promise<number | null> {
  const progress: Progress = { table: 0, after: null, signed: 0, loggedAt: deps.clock.moment().monotonicMs }
  return deps.retry(async () => {
    try {
      if (isMarked(deps) && (await isAudited(deps))) return null
      return await signLocked(deps, progress)
    } catch (err) {
      // Signing and marking again changes nothing.
      throw err instanceof StoreOutcomeUnknown ? new StoreUnavailable(err.message, { cause: err }) : err
    }
  })
}

/** Rows of a table that have no MAC. */
export interface UnsignedRowCount {
  readonly table: string
  readonly count: number
}

export type RestoredRowDependencies = Omit<RowSigningDependencies, 'retry'>

/**
 * Rows without a MAC, by table. After the rows were signed once they are refused: they were inserted by somebody without the keys, or the database was
 * restored from a backup of before its tables had MACs.
 */
export async function countUnsignedRows({
  store,
  stopping,
}: Pick<RestoredRowDependencies, 'store' | 'stopping'>): Promise<UnsignedRowCount[]> {
  const counts: UnsignedRowCount[] = []
  for (const table of tablesToSign) {
    let count = 0
    for (let after: readonly Value[] | null = null; ;) {
      stopping.throwIfAborted()
      const page: RowToSign[] = await store.scan(listRowsToSign(table, after, pageSize))
      count += page.filter(({ row }) => row !== null && isWorthSigning(table, row)).length
      after = page.at(-1)?.key ?? null
      if (page.length < pageSize) break
    }
    counts.push({ table: table.name, count })
  }
  return counts
}

/**
 * Signs the rows without a MAC of a restored database, for an operator who vouches for them. The audit has the request before, and the outcome after.
 * Null when another process is signing. Returns how many rows were signed.
 */
export async function signRestoredRows(deps: RestoredRowDependencies, by: AuditActor): Promise<number | null> {
  const lock = await deps.store.tryLock('sign-rows')
  if (lock === null) return null
  const progress: Progress = { table: 0, after: null, signed: 0, loggedAt: deps.clock.moment().monotonicMs }
  try {
    await audit(deps, by, 'restored_requested')
    for (; progress.table < tablesToSign.length; progress.table++, progress.after = null) await signTable(deps, lock, progress)
    await lock.check()
    await audit(deps, by, 'restored')
    return progress.signed
  } finally {
    await lock.release()
  }
}

/** How far the signing has come; a retry continues from there. */
interface Progress {
  /** The table in `tablesToSign`, and the key of its last row that was looked at. */
  table: number
  after: readonly Value[] | null
  signed: number
  /** Monotonic milliseconds. */
  loggedAt: number
}

async function signLocked(deps: RowSigningDependencies, progress: Progress): Promise<number | null> {
  const { keyring, log } = deps
  const lock = await awaitLock(deps)
  try {
    // What the keyring loaded when it was opened is older than the lock.
    await keyring.read()
    const audited = await isAudited(deps)
    if (isMarked(deps)) {
      // The start that signed the rows was cut off before its audit entry.
      if (!audited) await audit(deps)
      return null
    }
    if (audited) throw new KeyStoreMismatch(lostMark)
    for (; progress.table < tablesToSign.length; progress.table++, progress.after = null) await signTable(deps, lock, progress)
    await lock.check()
    await keyring.active('row_mac', markOwner)
    await audit(deps)
    if (progress.signed > 0) log.info('rows_signed', { count: progress.signed })
    return progress.signed
  } finally {
    await lock.release()
  }
}

async function awaitLock({ store, clock, log, stopping }: RowSigningDependencies): Promise<StoreLock> {
  for (let seconds = 0; ; seconds++) {
    const lock = await store.tryLock('sign-rows')
    if (lock !== null) return lock
    if (seconds % logSeconds === 0) log.info('rows_signing_awaited', {})
    await clock.sleep(1000, stopping)
  }
}

function isMarked({ keyring }: RowSigningDependencies): boolean {
  return !lacksSigningMark(keyring)
}

/** Whether the key store has no mark of the signing. */
export function lacksSigningMark(keyring: Pick<Keyring, 'list'>): boolean {
  return !keyring.list().some(({ purpose, owner }) => purpose === 'row_mac' && owner === markOwner)
}

function isAudited({ store }: RowSigningDependencies): Promise<boolean> {
  return store.read(hasAuditedAction(auditSubjectOfSigning, auditActionOfSigning))
}

/** A table whose rows are read and signed as they are. */
type SignedTable = (typeof tablesToSign)[number]

/** Reads all rows in the order of their keys, also those that are signed: no index finds the others. */
async function signTable(deps: RestoredRowDependencies, lock: StoreLock, progress: Progress): Promise<void> {
  const { store, keyring, environment, stopping } = deps
  const table = tablesToSign[progress.table]
  if (table === undefined) return
  const mac = makeRowAuthenticator(keyring, environment, table as unknown as AuthenticatedTable<MacRow>)
  for (;;) {
    stopping.throwIfAborted()
    await lock.check()
    const page: RowToSign[] = await store.scan(listRowsToSign(table, progress.after, pageSize))
    const rows: SignedRow[] = []
    for (const { key, content, row } of page) {
      if (row !== null && isWorthSigning(table, row)) rows.push({ key, content, mac: (await mac.seal(row as MacRow)).mac })
    }
    const signed = await writeMacs(store, table, rows)
    progress.signed += signed
    logProgress(deps, progress, table)
    // A row that was changed since it was read is read again.
    if (signed < rows.length) continue
    if (page.length < pageSize) return
    progress.after = page.at(-1)?.key ?? null
  }
}

/** Writes a page in several small transactions at once. Waits for all of them, so that none is still running when the lock is released. */
async function writeMacs(store: Store, { name }: SignedTable, rows: readonly SignedRow[]): Promise<number> {
  const parts: SignedRow[][] = []
  for (let at = 0; at < rows.length; at += transactionSize) parts.push(rows.slice(at, at + transactionSize))
  const results = await Promise.allSettled(parts.map((part) => store.write(signRows, { table: name, rows: part })))
  const failed = results.find((each) => each.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return results.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0)
}

function logProgress({ clock, log }: RestoredRowDependencies, progress: Progress, { name }: SignedTable): void {
  const now = clock.moment().monotonicMs
  if (now - progress.loggedAt < logSeconds * 1000) return
  progress.loggedAt = now
  log.info('rows_signing', { table: name, count: progress.signed })
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

async function audit({ store, clock }: RestoredRowDependencies, { actor, requestId } = system, outcome = 'done'): Promise<void> {
  const entry = { at: clock.now(), actor, action: auditActionOfSigning, merchantId: '', subject: auditSubjectOfSigning, version: 0 }
  await store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId, outcome } })
}

const system: AuditActor = { actor: 'system', requestId: '', address: '' }
/** The owner of the key that marks the end of the signing; named after the migration. */
const markOwner = 'rows_signed_20'
export const auditSubjectOfSigning = 'rows'
export const auditActionOfSigning = 'rows.signed'
export const lostMark = 'the audit says that the rows of this database were signed, but its key store does not know it'
const logSeconds = 10
export const pageSize = 200
/** One statement a row: within the time limit of a transaction also where a round trip takes 20 ms. */
const transactionSize = 50
