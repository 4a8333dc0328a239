import { bucketOfId } from '@tessera/vault/id'

import { listReceiptPage } from '../../store/receipts.ts'
import type { SmsSendRow } from '../../store/sms-sends.ts'

import type { DashboardDependencies } from '../users/dependencies.ts'

import type { CardLookup, CardReports, MerchantCardsKey } from './cards.ts'
import { makeFindMessagesOfPhone } from './phone-messages.ts'
import { noConditions, type ReceiptConditions } from './receipt-search.ts'
import { toOrderKey } from './receipt-summaries.ts'
import type { ReceiptInList, ReceiptReports } from './receipts.ts'
import { readSearchTerms } from './search-terms.ts'

/** A receipt, and what the text is of it. */
export interface ReceiptHit {
  readonly by: 'id' | 'order' | 'amount'
  readonly receipt: ReceiptInList
}

export interface SearchHits {
  readonly receipts: readonly ReceiptHit[]
  readonly cards: readonly CardLookup[]
  readonly customers: readonly string[]
  readonly messages: readonly SmsSendRow[]
  /** As of `ReceiptPage`. */
  readonly unreadEntries: number
}

export interface SearchedLists {
  readonly cardLists: CardReports
  readonly receiptLists: ReceiptReports
}

/**
 * Finds what a text may be, at most `hitsMax` of each kind. Each lookup is a range of one index or a row by its key, so that the number of rows does not
 * matter (store/suite/dashboard-lists.fixture.ts has their plans).
 */
export type FindAnything = (of: MerchantCardsKey, typed: string) => Promise<SearchHits>

export function makeSearch({ store, keyring }: Pick<DashboardDependencies, 'store' | 'keyring'>, lists: SearchedLists): FindAnything {
  const { cardLists, receiptLists } = lists
  const messagesOfPhone = makeFindMessagesOfPhone({ store, keyring })

  return async ({ bucket, merchantId }, typed) => {
    if (typed.trim() === '') return { receipts: [], cards: [], customers: [], messages: [], unreadEntries: 0 }
    const of = { bucket, merchantId }
    const { id, idStart, text, cardMask, phone, amountTiyin } = readSearchTerms(typed)
    const customer = { customer: text }
    const [byId, byOrder, byAmount, paidBy, ofId, ofMask, ofCustomer, messages] = await Promise.all([
      id === null ? findByStart(of, idStart) : receiptLists.find(of, [id]),
      listReceipts(of, { order: toOrderKey(text) }),
      amountTiyin === null ? nothing : listReceipts(of, { amountFrom: amountTiyin, amountTo: amountTiyin }),
      listReceipts(of, customer),
      id === null || bucketOfId(id) !== bucket ? [] : listCards(of, id),
      cardMask === null ? [] : listCards(of, cardMask),
      listCards(of, customer),
      phone === null ? [] : messagesOfPhone(of, phone, hitsMax),
    ])
    const cards = distinct([...ofId, ...ofMask, ...ofCustomer], ({ cardId }) => cardId)
    const hits = [...toHits('id', byId), ...toHits('order', byOrder.receipts), ...toHits('amount', byAmount.receipts)]
    return {
      receipts: distinct(hits, ({ receipt: { receipt } }) => receipt.receiptId),
      cards,
      customers: ofCustomer.length > 0 || paidBy.receipts.length > 0 ? [text] : [],
      messages,
      unreadEntries: byOrder.unreadEntries,
    }
  }

  async function listReceipts(of: MerchantCardsKey, over: Partial<ReceiptConditions>) {
    return receiptLists.list(of, { ...noConditions, ...over, from: 0, to: Number.MAX_SAFE_INTEGER, after: null, count: hitsMax })
  }

  async function listCards(of: MerchantCardsKey, search: string | { readonly customer: string }): Promise<readonly CardLookup[]> {
    return (await cardLists.list(of, search, { after: null, count: maskedCardsMax })).cards.slice(0, hitsMax)
  }

  /** An id begins with its second: the first digits of one are a range of time, and more than eight one of ids within a second. */
  async function findByStart(of: MerchantCardsKey, start: string | null): Promise<ReceiptInList[]> {
    if (start === null) return []
    const [from, last] = [secondOf(start.padEnd(8, '0')), secondOf(start.padEnd(8, 'f'))]
    const count = start.length > 8 ? receiptsOfSecondMax : hitsMax
    const listed = await store.read(listReceiptPage({ ...of, state: null, after: null, from: from * 1000, to: (last + 1) * 1000, count }))
    const ids = listed.map(({ receiptId }) => receiptId).filter((receiptId) => receiptId.startsWith(start))
    return receiptLists.find(of, ids.slice(0, hitsMax))
  }
}

function toHits(by: ReceiptHit['by'], receipts: readonly ReceiptInList[]): ReceiptHit[] {
  return receipts.map((receipt) => ({ by, receipt }))
}

/** The first of each key, `hitsMax` at most. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const found = new Map<string, T>()
  for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item)
  return [...found.values()].slice(0, hitsMax)
}

function secondOf(digits: string): number {
  return Number.parseInt(digits.slice(0, 8), 16)
}

const nothing = { receipts: [], unreadEntries: 0 } as const
const hitsMax = 5
/** So many cards with the last four digits are compared with the first ones of a mask. */
const maskedCardsMax = 50
/** So many receipts of one second are compared with the first digits of an id. */
const receiptsOfSecondMax = 500
