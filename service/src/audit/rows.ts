import type { BrokenCard, CardRow, ListedMerchantRow, ListedReceipt, MerchantRow, ReceiptPlace, ReceiptRow, Store } from '../store/store.ts'

/** The rows that bear a MAC, and whose every version is in the audit. */
export type AuditedNoun = 'card' | 'receipt' | 'merchant'

/** A stored row that is not the one that the audit tells of. */
export interface RowFault {
  readonly noun: AuditedNoun
  readonly id: string
  readonly merchantId: string
  readonly what: string
}

export interface RowMacs {
  readonly card: Mac<CardRow>
  readonly receipt: Mac<ReceiptRow>
  readonly merchant: Mac<MerchantRow>
}

/** Whether a row's MAC is the one that we would make. */
interface Mac<Row> {
  isTrue(row: Row): Promise<boolean> | boolean
}

/**
 * Holds rows against the newest version and row MAC in the audit, a page at a time: cards that still hold a sealed PAN, all receipts, all
 * merchants. An old row that was put back whole has a right MAC, and is found here only. Null for a row that is as it was written.
 */
export async function* checkRows(
  store: Store,
  macs: RowMacs,
): AsyncGenerator<{ readonly noun: AuditedNoun; readonly fault: RowFault | null }> {
  for await (const rows of pagesOf(store, macs)) {
    for (let at = 0; at < rows.length; at += atOnce) yield* await Promise.all(rows.slice(at, at + atOnce).map((row) => judge(store, row)))
  }
}

/** A row of any noun, or the column of it that cannot be read. */
interface Looked {
  readonly noun: AuditedNoun
  readonly id: string
  readonly merchantId: string
  readonly brokenAt: string | null
  readonly version: number
  readonly mac: Uint8Array
  isTrue(): Promise<boolean> | boolean
  /** Null when it is gone. */
  again(): Promise<Looked | null>
}

async function judge(store: Store, first: Looked): Promise<{ noun: AuditedNoun; fault: RowFault | null }> {
  const { noun, id, merchantId } = first
  const what = first.brokenAt === null ? await faultOf(store, first) : `its row cannot be read: column ${first.brokenAt} is broken`
  return { noun, fault: what === null ? null : { noun, id, merchantId, what } }
}

/** A row that changes while it is looked at is looked at again: it is a fault only when it stays one. */
async function faultOf(store: Store, first: Looked): Promise<string | null> {
  let row: Looked | null = first
  let fault: string | null = null
  for (let look = 0; look < looksMax && row !== null; look++) {
    fault = await faultNow(store, row)
    if (fault === null) return null
    row = await row.again()
  }
  return row === null ? null : fault
}

async function faultNow(store: Store, row: Looked): Promise<string | null> {
  if (!(await row.isTrue())) return 'its row was changed: the row MAC is wrong'
  const newest = await store.newestAuditOf(row.id)
  if (newest === null) return 'the audit knows nothing of it'
  if (newest.version > row.version) return `an older row was put back: version ${row.version}, the audit tells of ${newest.version}`
  if (newest.version < row.version) return `the audit does not tell of its version ${row.version}`
  return Buffer.compare(newest.mac, row.mac) === 0 ? null : 'its row MAC is not the one in the audit'
}

async function* pagesOf(store: Store, macs: RowMacs): AsyncGenerator<Looked[]> {
  for (const { keyId } of await store.countCardsByKey()) {
    const pages = walk(
      (after: string) => store.listCardsUnderKey(keyId, after, pageLength),
      ({ cardId }) => cardId,
      '',
    )
    for await (const page of pages) yield page.map((row) => cardLooked(row))
  }
  const receipts = walk((after: ReceiptPlace) => store.listAllReceipts(pageLength, after), placeOf, { bucket: -1, receiptId: '' })
  for await (const page of receipts) yield page.map((row) => receiptLooked(row))
  for await (const page of walk(
    (after: string) => store.listMerchants(after, pageLength),
    ({ id }) => id,
    '',
  )) {
    yield page.map((row) => merchantLooked(row))
  }

  function cardLooked(row: CardRow | BrokenCard): Looked {
    const { cardId: id, merchantId } = row
    if ('brokenAt' in row) return broken('card', id, merchantId, row.brokenAt)
    const again = async () => mapped(await store.findCard(row), cardLooked)
    return { noun: 'card', id, merchantId, brokenAt: null, version: row.version, mac: row.mac, isTrue: () => macs.card.isTrue(row), again }
  }
  function receiptLooked(row: ListedReceipt): Looked {
    const { receiptId: id, merchantId } = row
    if ('brokenAt' in row) return broken('receipt', id, merchantId, row.brokenAt)
    const again = async () => mapped(await store.findReceipt(row), receiptLooked)
    return {
      noun: 'receipt',
      id,
      merchantId,
      brokenAt: null,
      version: row.version,
      mac: row.mac,
      isTrue: () => macs.receipt.isTrue(row),
      again,
    }
  }
  function merchantLooked(row: ListedMerchantRow): Looked {
    const { id } = row
    if ('brokenAt' in row) return broken('merchant', id, id, row.brokenAt)
    const again = async () => mapped(await store.findMerchant(id), merchantLooked)
    return {
      noun: 'merchant',
      id,
      merchantId: id,
      brokenAt: null,
      version: row.version,
      mac: row.mac,
      isTrue: () => macs.merchant.isTrue(row),
      again,
    }
  }
}

function broken(noun: AuditedNoun, id: string, merchantId: string, brokenAt: string): Looked {
  return { noun, id, merchantId, brokenAt, version: 0, mac: new Uint8Array(0), isTrue: () => false, again: () => Promise.resolve(null) }
}

function mapped<T, U>(row: T | null, look: (row: T) => U): U | null {
  return row === null ? null : look(row)
}

async function* walk<Row, Place>(read: (after: Place) => Promise<Row[]>, place: (row: Row) => Place, first: Place): AsyncGenerator<Row[]> {
  for (let after = first; ;) {
    const page = await read(after)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageLength) return
    after = place(last)
  }
}

function placeOf({ bucket, receiptId }: ListedReceipt): ReceiptPlace {
  return { bucket, receiptId }
}

const pageLength = 500
const atOnce = 25
const looksMax = 3
