import type { Keyring } from '@tessera/vault/keyring'
import { type AuthenticatedTable, makeRowAuthenticator } from '@tessera/vault/rowmac'

import { findNewestAudited } from '../../store/audit.ts'
import { auditedTables, type AuditedTableKind, type AuditedTableRow, findAuditedRow, listAuditedRows } from '../../store/audited-rows.ts'
import { type BrokenCard, type CardRow, cardsTable, countCardsByKey, findCard, listCardsByKey } from '../../store/cards.ts'
import { findMerchant, type ListedMerchantRow, listMerchants, type MerchantRow, merchantsTable } from '../../store/merchants.ts'
import { listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { operationsDigestOf } from '../../store/operations-digest.ts'
import {
  findReceipt,
  listAllReceipts,
  type ListedReceipt,
  type ReceiptCursor,
  type ReceiptRow,
  receiptsTable,
} from '../../store/receipts.ts'
import type { Value } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

import { nextTurn } from './verify.ts'

/** The kinds of rows that have a MAC and whose every version is in the audit. */
export type AuditedKind = 'card' | 'receipt' | 'merchant' | AuditedTableKind

/** A stored row that differs from the audit. */
export interface RowFault {
  readonly kind: AuditedKind
  readonly id: string
  readonly merchantId: string
  readonly what: string
}

export interface RowMacs {
  readonly card: Mac<CardRow>
  readonly receipt: Mac<ReceiptRow>
  readonly merchant: Mac<MerchantRow>
  readonly operation: Mac<OperationRow>
  /** Of a row of one of `auditedTables`. */
  readonly other: (kind: AuditedTableKind) => Mac<MacRow>
}

export function makeRowMacs(keyring: Keyring, environment: string): RowMacs {
  return {
    card: makeRowAuthenticator(keyring, environment, cardsTable),
    receipt: makeRowAuthenticator(keyring, environment, receiptsTable),
    merchant: makeRowAuthenticator(keyring, environment, merchantsTable),
    operation: makeRowAuthenticator(keyring, environment, operationsTable),
    other: (kind) => makeRowAuthenticator(keyring, environment, auditedTables[kind].table as unknown as AuthenticatedTable<MacRow>),
  }
}

interface MacRow {
  readonly mac: Uint8Array
}

/** Verifies row MACs. */
interface Mac<Row> {
  hasValidMac(row: Row): Promise<boolean> | boolean
}

/**
 * Compares rows with the newest version and row MAC in the audit, page by page: cards with a sealed PAN, all receipts with their
 * operations, all merchants, users, webhook endpoints, form sessions and sign-ins. Yields null for a row without a fault.
 */
export async function* checkRows(
  store: Store,
  macs: RowMacs,
): AsyncGenerator<{ readonly kind: AuditedKind; readonly fault: RowFault | null }> {
  for await (const rows of pagesOf(store, macs)) {
    for (let at = 0; at < rows.length; at += concurrency) {
      yield* await Promise.all(rows.slice(at, at + concurrency).map((row) => checkRow(store, row)))
      await nextTurn()
    }
  }
}

/** A row of any kind, or the name of its unreadable column. */
interface AuditedRow {
  readonly kind: AuditedKind
  readonly id: string
  readonly merchantId: string
  readonly brokenAt: string | null
  readonly version: number
  readonly mac: Uint8Array
  hasValidMac(): Promise<boolean> | boolean
  /** Null, or what is wrong with rows that belong to this one. */
  dependentFault?(): Promise<string | null>
  /** Reads the row again; null when it was deleted. */
  again(): Promise<AuditedRow | null>
}

async function checkRow(store: Store, first: AuditedRow): Promise<{ kind: AuditedKind; fault: RowFault | null }> {
  const { kind, id, merchantId } = first
  const what = first.brokenAt === null ? await faultOf(store, first) : `its row cannot be read: column ${first.brokenAt} is broken`
  return { kind, fault: what === null ? null : { kind, id, merchantId, what } }
}

/** A row may change during the check, so a fault counts only when it persists over several reads. */
async function faultOf(store: Store, first: AuditedRow): Promise<string | null> {
  let row: AuditedRow | null = first
  let fault: string | null = null
  for (let attempt = 0; attempt < maxAttempts && row !== null; attempt++) {
    fault = await faultNow(store, row)
    if (fault === null) return null
    row = await row.again()
  }
  return row === null ? null : fault
}

async function faultNow(store: Store, row: AuditedRow): Promise<string | null> {
  if (!(await row.hasValidMac())) return 'its row was changed: the row MAC is wrong'
  const newest = await store.read(findNewestAudited(row.id))
  if (newest === null) return hasEntries(row) ? 'the audit has no entry for it' : null
  if (newest.version > row.version) return `an older row was restored: it has version ${row.version}, the audit ${newest.version}`
  if (newest.version < row.version) return `the audit has no entry for its version ${row.version}`
  if (Buffer.compare(newest.mac, row.mac) !== 0) return 'its row MAC is not the one in the audit'
  return row.dependentFault === undefined ? null : row.dependentFault()
}

/** A sign-in has an entry of its own when it is ended, and a webhook endpoint from before endpoints had versions has one from its next change. */
function hasEntries({ kind, version }: AuditedRow): boolean {
  return version > 1 || (kind !== 'session' && kind !== 'endpoint')
}

async function* pagesOf(store: Store, macs: RowMacs): AsyncGenerator<AuditedRow[]> {
  for (const { keyId } of await store.read(countCardsByKey())) {
    const cards = pages(
      (after: string) => store.read(listCardsByKey(keyId, after, pageLength)),
      ({ cardId }) => cardId,
      '',
    )
    for await (const page of cards) yield page.map((row) => auditedCard(row))
  }
  const receipts = pages((after: ReceiptCursor) => store.read(listAllReceipts(pageLength, after)), receiptCursor, {
    bucket: -1,
    receiptId: '',
  })
  for await (const page of receipts) yield page.map((row) => auditedReceipt(row))
  for await (const page of pages(
    (after: string) => store.read(listMerchants(after, pageLength)),
    ({ id }) => id,
    '',
  )) {
    yield page.map((row) => auditedMerchant(row))
  }
  for (const kind of ['user', 'endpoint', 'form_session', 'session'] as const) {
    const mac = macs.other(kind)
    const found = pages<AuditedTableRow, readonly Value[] | null>(
      (after) => store.read(listAuditedRows(kind, after, pageLength)),
      ({ key }) => key,
      null,
    )
    for await (const page of found) yield page.map((row) => auditedOther(kind, mac, row))
  }

  function auditedOther(
    kind: AuditedTableKind,
    mac: Mac<MacRow>,
    { key, id, merchantId, row, brokenAt, version }: AuditedTableRow,
  ): AuditedRow {
    if (row === null) return broken(kind, id, merchantId, brokenAt ?? '')
    const again = async () => mapped(await store.read(findAuditedRow(kind, key)), (found) => auditedOther(kind, mac, found))
    return { kind, id, merchantId, brokenAt: null, version, mac: row.mac, hasValidMac: () => mac.hasValidMac(row), again }
  }

  function auditedCard(row: CardRow | BrokenCard): AuditedRow {
    const { cardId: id, merchantId } = row
    if ('brokenAt' in row) return broken('card', id, merchantId, row.brokenAt)
    const again = async () => mapped(await store.read(findCard(row)), auditedCard)
    return {
      kind: 'card',
      id,
      merchantId,
      brokenAt: null,
      version: row.version,
      mac: row.mac,
      hasValidMac: () => macs.card.hasValidMac(row),
      again,
    }
  }
  function auditedReceipt(row: ListedReceipt): AuditedRow {
    const { receiptId: id, merchantId } = row
    if ('brokenAt' in row) return broken('receipt', id, merchantId, row.brokenAt)
    const again = async () => mapped(await store.read(findReceipt(row)), auditedReceipt)
    return {
      kind: 'receipt',
      id,
      merchantId,
      brokenAt: null,
      version: row.version,
      mac: row.mac,
      hasValidMac: () => macs.receipt.hasValidMac(row),
      dependentFault: () => operationFault(row),
      again,
    }
  }
  /** Receipts from before there were digests do not say which operations they have. */
  async function operationFault(row: ReceiptRow): Promise<string | null> {
    const operations = await store.read(listOperations(row))
    for (const operation of operations) {
      if (!(await macs.operation.hasValidMac(operation))) return `its operation ${operation.requestId} was changed: the row MAC is wrong`
    }
    const isExpected = row.operationsDigest.length === 0 || Buffer.compare(row.operationsDigest, operationsDigestOf(operations)) === 0
    return isExpected ? null : 'an operation of it was deleted, inserted or restored'
  }
  function auditedMerchant(row: ListedMerchantRow): AuditedRow {
    const { id } = row
    if ('brokenAt' in row) return broken('merchant', id, id, row.brokenAt)
    const again = async () => mapped(await store.read(findMerchant(id)), auditedMerchant)
    return {
      kind: 'merchant',
      id,
      merchantId: id,
      brokenAt: null,
      version: row.version,
      mac: row.mac,
      hasValidMac: () => macs.merchant.hasValidMac(row),
      again,
    }
  }
}

function broken(kind: AuditedKind, id: string, merchantId: string, brokenAt: string): AuditedRow {
  return {
    kind,
    id,
    merchantId,
    brokenAt,
    version: 0,
    mac: new Uint8Array(0),
    hasValidMac: () => false,
    again: () => Promise.resolve(null),
  }
}

function mapped<T, U>(row: T | null, attempt: (row: T) => U): U | null {
  return row === null ? null : attempt(row)
}

async function* pages<Row, Cursor>(
  read: (after: Cursor) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
  first: Cursor,
): AsyncGenerator<Row[]> {
  for (let after = first; ;) {
    const page = await read(after)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageLength) return
    after = cursorOf(last)
  }
}

function receiptCursor({ bucket, receiptId }: ListedReceipt): ReceiptCursor {
  return { bucket, receiptId }
}

const pageLength = 500
const concurrency = 25
const maxAttempts = 3
