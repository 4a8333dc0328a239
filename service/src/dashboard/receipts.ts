import { RpcError } from '@tessera/contract/errors'
import type { ReceiptState } from '@tessera/contract/receipt'
import { bucketOfId } from '@tessera/vault/id'

import { makeReceiptMac } from '../receipts/row.ts'
import type { AuditEntry, ListedReceipt, OperationRow, ReceiptRow, TimePlace } from '../store/store.ts'

import { makeCardLook, type CardListParts, type CardsOf } from './cards.ts'

export type { OperationRow, ReceiptRow }

/** A receipt whose row is not as we wrote it: nothing is told of it but where it stands. */
export interface TamperedReceipt {
  readonly state: 'tampered'
  readonly receiptId: string
  readonly createdAt: number
}

export type LookedReceipt = ReceiptRow | TamperedReceipt

export interface ReceiptPage {
  readonly receipts: readonly LookedReceipt[]
  readonly next: TimePlace | null
}

export interface FoundReceiptHistory {
  readonly receipt: LookedReceipt
  readonly operations: readonly OperationRow[]
  /** The cards that were to pay it, by their ids, with their masks: '' where the row is not ours. */
  readonly cards: ReadonlyMap<string, string>
  readonly entries: readonly AuditEntry[]
}

export interface AskedReceipts {
  readonly from: number
  readonly to: number
  /** Null: in whatever state. */
  readonly state: ReceiptState | null
  readonly after: TimePlace | null
  readonly count: number
}

/** The merchant's receipts as its people look at them. Each row is checked as the API checks it; one that is not ours is shown as such, and its neighbours stay. */
export interface ReceiptLists {
  list(of: CardsOf, asked: AskedReceipts): Promise<ReceiptPage>
  /** Throws `receiptNotFound`. */
  get(of: CardsOf, receiptId: string): Promise<FoundReceiptHistory>
}

export function makeReceiptLists(parts: CardListParts): ReceiptLists {
  const { store, keyring, environment, alarm } = parts
  const lookAtCard = makeCardLook(parts)
  const mac = makeReceiptMac(keyring, environment)
  return Object.freeze({ list, get })

  async function look(receipt: ListedReceipt): Promise<LookedReceipt> {
    if (!('brokenAt' in receipt) && (await mac.isTrue(receipt))) return receipt
    const { merchantId, receiptId, createdAt } = receipt
    alarm('row_tampered', { merchantId, cardId: '', receiptId, requestId: '' })
    return { state: 'tampered', receiptId, createdAt }
  }

  async function list({ bucket, merchantId }: CardsOf, { count, ...asked }: AskedReceipts): Promise<ReceiptPage> {
    const found = await store.listReceiptPage({ bucket, merchantId, ...asked, count: count + 1 })
    const receipts = await Promise.all(found.slice(0, count).map(look))
    const last = found.length > count ? receipts.at(-1) : undefined
    // Nothing of ours is older than 1970: behind such a row there is nothing to go on to.
    return { receipts, next: last === undefined || last.createdAt < 0 ? null : { at: last.createdAt, id: last.receiptId } }
  }

  async function get({ bucket, merchantId }: CardsOf, receiptId: string): Promise<FoundReceiptHistory> {
    const key = { bucket, merchantId, receiptId }
    const receipt = bucketOfId(receiptId) === bucket ? await store.lookAtReceipt(key) : null
    if (receipt === null) throw new RpcError('receiptNotFound', { data: 'receiptId' })
    const [operations, entries] = await Promise.all([store.listOperations(key), store.listAuditOf(merchantId, receiptId, entriesMax)])
    return { receipt: await look(receipt), operations, cards: await masksOf({ bucket, merchantId }, operations), entries }
  }

  async function masksOf(of: CardsOf, operations: readonly OperationRow[]): Promise<ReadonlyMap<string, string>> {
    const cardIds = [...new Set(operations.map(({ cardId }) => cardId))].filter((cardId) => cardId !== '').slice(-cardsMax)
    const rows = await Promise.all(cardIds.map((cardId) => store.lookAtCard({ ...of, cardId })))
    const cards = await Promise.all(rows.filter((row) => row !== null).map(lookAtCard))
    return new Map(cards.map((card) => [card.cardId, card.state === 'tampered' ? '' : card.maskedPan]))
  }
}

/** Whoever tries more cards for one receipt is told the newest. */
const cardsMax = 10
const entriesMax = 100
