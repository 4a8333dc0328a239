import { RpcError } from '@tessera/contract/errors'
import type { ReceiptStatus } from '@tessera/contract/receipt-status'
import { bucketOfId } from '@tessera/vault/id'

import { type AuditRow, decodeAuditChanges, listAuditOfSubject } from '../../store/audit.ts'
import { findCardOrBroken } from '../../store/cards.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'
import { listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { findReceiptOrBroken, type ListedReceipt, listReceiptPage, type ReceiptRow, receiptsTable } from '../../store/receipts.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { sortHistory } from '../audit-order.ts'
import { findAuditUsers, userIdOf } from '../users/audit-users.ts'
import { keepValid, makeVerifiedRows } from '../verified-rows.ts'

import { makeCardLookup, type CardReportDependencies, type MerchantCardsKey } from './cards.ts'
import { countAtMost, findMatchingSummaries, hasConditions, matches, type ReceiptConditions } from './receipt-search.ts'
import { deriveReceiptStatus, noMoney, type ReceiptMoney, sumReceiptMoney } from './receipt-status.ts'
import { countUnreadEntries, readReason } from './receipt-summaries.ts'

export type { OperationRow, ReceiptRow }

/** A receipt whose row has a wrong MAC. Only its position is shown. */
export interface TamperedReceipt {
  readonly state: 'tampered'
  readonly receiptId: string
  readonly createdAt: number
}

export type ReceiptLookup = ReceiptRow | TamperedReceipt

/** A receipt in a list, with what its operations say of it. */
export interface ReceiptInList {
  readonly receipt: ReceiptLookup
  /** Null for a tampered row. */
  readonly status: ReceiptStatus | null
  readonly money: ReceiptMoney
}

export interface ReceiptPage {
  readonly receipts: readonly ReceiptInList[]
  readonly next: TimeCursor | null
  /** Entries of the audit whose changes a filtered list may not know yet; 0 for a list without filters. */
  readonly unreadEntries: number
}

export interface ReceiptWithHistory extends ReceiptInList {
  readonly operations: readonly OperationRow[]
  /** Masked numbers of the cards used for the receipt, by card id; '' for a tampered row. */
  readonly cards: ReadonlyMap<string, string>
  readonly entries: readonly AuditRow[]
  /** Those of the entries, by their ids. */
  readonly users: ReadonlyMap<string, DashboardUserRow>
}

/** What a list of receipts is limited to. Without a filter but the time, all receipts are listed, also those whose rows were changed outside the service. */
export interface ReceiptListFilter extends ReceiptConditions {
  readonly from: number
  readonly to: number
  readonly after: TimeCursor | null
  readonly count: number
}

/** The merchant's receipts as shown to its users. Each row is verified as in the API. A tampered row is shown as tampered and does not affect the others. */
export interface ReceiptReports {
  list(of: MerchantCardsKey, filter: ReceiptListFilter): Promise<ReceiptPage>
  /** How many receipts `list` would find at most; null where there are few. */
  countAtMost(of: MerchantCardsKey, filter: Omit<ReceiptListFilter, 'after' | 'count'>): Promise<number | null>
  /** Receipts by their ids, in that order; without those that the merchant does not have. */
  find(of: MerchantCardsKey, receiptIds: readonly string[]): Promise<ReceiptInList[]>
  /** Throws `receiptNotFound`. */
  get(of: MerchantCardsKey, receiptId: string): Promise<ReceiptWithHistory>
}

export function makeReceiptReports(deps: CardReportDependencies): ReceiptReports {
  const { store, alarm } = deps
  const lookUpCard = makeCardLookup(deps)
  const rows = makeVerifiedRows(deps, receiptsTable)
  const operationRows = makeVerifiedRows(deps, operationsTable)
  return Object.freeze({
    list,
    find,
    get,
    countAtMost: ({ bucket, merchantId }: MerchantCardsKey, { from, to, ...conditions }: Omit<ReceiptListFilter, 'after' | 'count'>) =>
      countAtMost(store, { bucket, merchantId, from, to, conditions }),
  })

  async function describe(receipt: ReceiptLookup): Promise<ReceiptInList> {
    if (receipt.state === 'tampered') return { receipt, status: null, money: noMoney }
    // Before a payment there is no operation, and of most paid receipts one.
    const operations = receipt.requestId === '' ? [] : await keepValid(operationRows, await store.read(listOperations(receipt)))
    return { receipt, status: deriveReceiptStatus(receipt, operations), money: sumReceiptMoney(operations) }
  }

  async function lookUp(receipt: ListedReceipt): Promise<ReceiptLookup> {
    const { merchantId, receiptId, createdAt } = receipt
    if ('brokenAt' in receipt) alarm('row_tampered', { merchantId, cardId: '', receiptId, requestId: '', table: receiptsTable.name })
    else if (await rows.isValid(receipt)) return receipt
    return { state: 'tampered', receiptId, createdAt }
  }

  async function list(of: MerchantCardsKey, { count, from, to, after, ...conditions }: ReceiptListFilter): Promise<ReceiptPage> {
    const { bucket, merchantId } = of
    const range = { bucket, merchantId, from, to }
    if (!hasConditions(conditions)) {
      const found = await store.read(listReceiptPage({ ...range, state: null, after, count: count + 1 }))
      const receipts = await Promise.all(found.slice(0, count).map(lookUp))
      const last = found.length > count ? receipts.at(-1) : undefined
      // A time before 1970 is not ours, so it cannot be a cursor: there is no next page.
      const next = last === undefined || last.createdAt < 0 ? null : { at: last.createdAt, id: last.receiptId }
      return { receipts: await Promise.all(receipts.map(describe)), next, unreadEntries: 0 }
    }
    const [{ matching, next }, unreadEntries] = await Promise.all([
      findMatchingSummaries(store, { ...range, after, count, conditions }),
      countUnreadEntries(store),
    ])
    const receipts = await find(
      of,
      matching.map(({ receiptId }) => receiptId),
    )
    return { receipts: receipts.filter((receipt) => isStillMatching(receipt, conditions)), next, unreadEntries }
  }

  async function find({ bucket, merchantId }: MerchantCardsKey, receiptIds: readonly string[]): Promise<ReceiptInList[]> {
    const own = receiptIds.filter((receiptId) => bucketOfId(receiptId) === bucket)
    const read = await Promise.all(own.map((receiptId) => store.read(findReceiptOrBroken({ bucket, merchantId, receiptId }))))
    return Promise.all(read.filter((receipt) => receipt !== null).map(async (receipt) => describe(await lookUp(receipt))))
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
    const found = await lookUp(receipt)
    const status = found.state === 'tampered' ? null : deriveReceiptStatus(found, operations)
    const [cards, users] = await Promise.all([
      masksOf({ bucket, merchantId }, operations),
      findAuditUsers(store, merchantId, entries.map(userIdOf)),
    ])
    return { receipt: found, status, money: sumReceiptMoney(operations), operations, cards, entries: sortHistory(entries), users }
  }

  async function masksOf(of: MerchantCardsKey, operations: readonly OperationRow[]): Promise<ReadonlyMap<string, string>> {
    const cardIds = [...new Set(operations.map(({ cardId }) => cardId))].filter((cardId) => cardId !== '').slice(-cardsMax)
    const rows = await Promise.all(cardIds.map((cardId) => store.read(findCardOrBroken({ ...of, cardId }))))
    const cards = await Promise.all(rows.filter((row) => row !== null).map(lookUpCard))
    return new Map(cards.map((card) => [card.cardId, card.state === 'tampered' ? '' : card.maskedPan]))
  }
}

/** Why a user did what an audit entry is about, as `dashboard.receipts.cancel` stores it. */
export function readRemarks(changes: string): { readonly reason: string | null; readonly note: string | null } {
  const remarks = new Map(decodeAuditChanges(changes).map(({ name, to }) => [name, to]))
  return { reason: remarks.get('reason') ?? null, note: remarks.get('note') ?? null }
}

/** A receipt that was changed since it was summed up may not match any more. A tampered row, of which nothing is known, is shown. */
function isStillMatching({ receipt, status }: ReceiptInList, conditions: ReceiptConditions): boolean {
  if (receipt.state === 'tampered' || status === null) return true
  const { cardId, customer, error, amountTiyin } = receipt
  return matches({ status, cardId, customer: customer ?? '', reason: readReason(error) ?? '', amountTiyin }, conditions)
}

/** For a receipt with more cards, only the newest are shown. */
const cardsMax = 10
const entriesMax = 100
