import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import type { AuditEntry, BrokenReceipt, OperationRow, ReceiptRow, Store, TimePlace } from '../store/store.ts'

import type { CardsOf } from './cards.ts'

export type { OperationRow, ReceiptRow }

export interface ReceiptPage {
  readonly receipts: readonly ReceiptRow[]
  readonly next: TimePlace | null
}

export interface FoundReceiptHistory {
  readonly receipt: ReceiptRow
  readonly operations: readonly OperationRow[]
  readonly entries: readonly AuditEntry[]
}

export interface AskedReceipts {
  readonly from: number
  readonly to: number
  readonly after: TimePlace | null
  readonly count: number
}

/** The merchant's receipts as its people look at them. */
export interface ReceiptLists {
  list(of: CardsOf, asked: AskedReceipts): Promise<ReceiptPage>
  /** Throws `receiptNotFound`. */
  get(of: CardsOf, receiptId: string): Promise<FoundReceiptHistory>
}

export function makeReceiptLists(store: Store): ReceiptLists {
  return Object.freeze({ list, get })

  async function list({ bucket, merchantId }: CardsOf, { from, to, after, count }: AskedReceipts): Promise<ReceiptPage> {
    const found = await store.listReceiptPage({ bucket, merchantId, from, to, after, count: count + 1 })
    const page = found.slice(0, count)
    const last = found.length > count ? page.at(-1) : undefined
    return {
      receipts: page.filter((row): row is ReceiptRow => !isBroken(row)),
      next: last === undefined || isBroken(last) ? null : { at: last.createdAt, id: last.receiptId },
    }
  }

  async function get({ bucket, merchantId }: CardsOf, receiptId: string): Promise<FoundReceiptHistory> {
    const key = { bucket, merchantId, receiptId }
    const receipt = bucketOfId(receiptId) === bucket ? await store.findReceipt(key) : null
    if (receipt === null) throw new RpcError('receiptNotFound', { data: 'receiptId' })
    const [operations, entries] = await Promise.all([store.listOperations(key), store.listAuditOf(merchantId, receiptId, entriesMax)])
    return { receipt, operations, entries }
  }
}

function isBroken(row: ReceiptRow | BrokenReceipt): row is BrokenReceipt {
  return 'brokenAt' in row
}

const entriesMax = 100
