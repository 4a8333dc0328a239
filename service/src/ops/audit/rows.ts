import { findNewestAudited } from '../../store/audit.ts'
import { type BrokenCard, type CardRow, countCardsByKey, findCard, listCardsByKey } from '../../store/cards.ts'
import { findMerchant, type ListedMerchantRow, listMerchants, type MerchantRow } from '../../store/merchants.ts'
import { findReceipt, listAllReceipts, type ListedReceipt, type ReceiptCursor, type ReceiptRow } from '../../store/receipts.ts'
import type { Store } from '../../store/store.ts'

/** The kinds of rows that have a MAC and whose every version is in the audit. */
export type AuditedKind = 'card' | 'receipt' | 'merchant'

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
}

/** Verifies row MACs. */
interface Mac<Row> {
  hasValidMac(row: Row): Promise<boolean> | boolean
}

/**
 * Compares rows with the newest version and row MAC in the audit, page by page: cards with a sealed PAN, all receipts, all merchants. An old row
 * that was restored has a valid MAC and is detected only here. Yields null for a row without a fault.
 */
export async function* checkRows(
  store: Store,
  macs: RowMacs,
): AsyncGenerator<{ readonly kind: AuditedKind; readonly fault: RowFault | null }> {
  for await (const rows of pagesOf(store, macs)) {
    for (let at = 0; at < rows.length; at += concurrency)
      yield* await Promise.all(rows.slice(at, at + concurrency).map((row) => checkRow(store, row)))
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
  if (newest === null) return 'the audit has no entry for it'
  if (newest.version > row.version) return `an older row was restored: it has version ${row.version}, the audit ${newest.version}`
  if (newest.version < row.version) return `the audit has no entry for its version ${row.version}`
  return Buffer.compare(newest.mac, row.mac) === 0 ? null : 'its row MAC is not the one in the audit'
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
      again,
    }
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
