import { RpcError } from '@tessera/contract/errors'
import type { ReceiptState } from '@tessera/contract/receipt'
import { bucketOfId } from '@tessera/vault/id'

import { type AuditRow, listAuditOfSubject } from '../../store/audit.ts'
import { findCardOrBroken } from '../../store/cards.ts'
import { listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { findReceiptOrBroken, type ListedReceipt, listReceiptPage, type ReceiptRow, receiptsTable } from '../../store/receipts.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { keepValid, makeVerifiedRows } from '../verified-rows.ts'

import { makeCardLookup, type CardReportDependencies, type MerchantCardsKey } from './cards.ts'

export type { OperationRow, ReceiptRow }

/** A receipt whose row has a wrong MAC. Only its position is shown. */
export interface TamperedReceipt {
  readonly state: 'tampered'
  readonly receiptId: string
  readonly createdAt: number
}

export type ReceiptLookup = ReceiptRow | TamperedReceipt

export interface ReceiptPage {
  readonly receipts: readonly ReceiptLookup[]
  readonly next: TimeCursor | null
}

export interface ReceiptWithHistory {
  readonly receipt: ReceiptLookup
  readonly operations: readonly OperationRow[]
  /** Masked numbers of the cards used for the receipt, by card id; '' for a tampered row. */
  readonly cards: ReadonlyMap<string, string>
  readonly entries: readonly AuditRow[]
}

export interface ReceiptListFilter {
  readonly from: number
  readonly to: number
  /** Null: any state. */
  readonly state: ReceiptState | null
  readonly after: TimeCursor | null
  readonly count: number
}

/** The merchant's receipts as shown to its users. Each row is verified as in the API. A tampered row is shown as tampered and does not affect the others. */
export interface ReceiptReports {
  list(of: MerchantCardsKey, filter: ReceiptListFilter): Promise<ReceiptPage>
  /** Throws `receiptNotFound`. */
  get(of: MerchantCardsKey, receiptId: string): Promise<ReceiptWithHistory>
}

export function makeReceiptReports(deps: CardReportDependencies): ReceiptReports {
  const { store, alarm } = deps
  const lookUpCard = makeCardLookup(deps)
  const rows = makeVerifiedRows(deps, receiptsTable)
  const operationRows = makeVerifiedRows(deps, operationsTable)
  return Object.freeze({ list, get })

  async function lookUp(receipt: ListedReceipt): Promise<ReceiptLookup> {
    const { merchantId, receiptId, createdAt } = receipt
    if ('brokenAt' in receipt) alarm('row_tampered', { merchantId, cardId: '', receiptId, requestId: '', table: receiptsTable.name })
    else if (await rows.isValid(receipt)) return receipt
    return { state: 'tampered', receiptId, createdAt }
  }

  async function list({ bucket, merchantId }: MerchantCardsKey, { count, ...filter }: ReceiptListFilter): Promise<ReceiptPage> {
    const found = await store.read(listReceiptPage({ bucket, merchantId, ...filter, count: count + 1 }))
    const receipts = await Promise.all(found.slice(0, count).map(lookUp))
    const last = found.length > count ? receipts.at(-1) : undefined
    // A time before 1970 is not ours, so it cannot be a cursor: there is no next page.
    return { receipts, next: last === undefined || last.createdAt < 0 ? null : { at: last.createdAt, id: last.receiptId } }
  }

  async function get({ bucket, merchantId }: MerchantCardsKey, receiptId: string): Promise<ReceiptWithHistory> {
    const key = { bucket, merchantId, receiptId }
    const receipt = bucketOfId(receiptId) === bucket ? await store.read(findReceiptOrBroken(key)) : null
    if (receipt === null) throw new RpcError('receiptNotFound', { data: 'receiptId' })
    const [listed, entries] = await Promise.all([
      store.read(listOperations(key)),
      store.read(listAuditOfSubject(merchantId, receiptId, entriesMax)),
    ])
    const operations = await keepValid(operationRows, listed)
    return { receipt: await lookUp(receipt), operations, cards: await masksOf({ bucket, merchantId }, operations), entries }
  }

  async function masksOf(of: MerchantCardsKey, operations: readonly OperationRow[]): Promise<ReadonlyMap<string, string>> {
    const cardIds = [...new Set(operations.map(({ cardId }) => cardId))].filter((cardId) => cardId !== '').slice(-cardsMax)
    const rows = await Promise.all(cardIds.map((cardId) => store.read(findCardOrBroken({ ...of, cardId }))))
    const cards = await Promise.all(rows.filter((row) => row !== null).map(lookUpCard))
    return new Map(cards.map((card) => [card.cardId, card.state === 'tampered' ? '' : card.maskedPan]))
  }
}

/** For a receipt with more cards, only the newest are shown. */
const cardsMax = 10
const entriesMax = 100
