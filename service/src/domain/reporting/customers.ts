import { listCards } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import type { CardLookup, CardReports, CardRow, MerchantCardsKey } from './cards.ts'
import { noConditions } from './receipt-search.ts'
import type { ReceiptReports } from './receipts.ts'

export interface CustomerInList {
  readonly customer: string
  /** At most `cardsCountMax`. */
  readonly cards: number
  readonly newestCard: CardRow
}

export interface CustomerPage {
  readonly customers: readonly CustomerInList[]
  readonly next: TimeCursor | null
}

export interface CustomerDetails {
  readonly cards: readonly CardLookup[]
  readonly hasMoreCards: boolean
  readonly payments: {
    readonly count: number
    readonly paid: number
    readonly capturedTiyin: number
    readonly refundedTiyin: number
    readonly isComplete: boolean
  }
}

/** The merchant's customers: no table has them, they are the customers of its cards. */
export interface CustomerReports {
  /** A walk through the newest cards. A page examines a bounded number of them. */
  list(of: MerchantCardsKey, page: { readonly after: TimeCursor | null; readonly count: number }): Promise<CustomerPage>
  get(of: MerchantCardsKey, customer: string): Promise<CustomerDetails>
}

export interface CustomerReportDependencies {
  readonly store: Pick<Store, 'read'>
  readonly cardLists: CardReports
  readonly receiptLists: ReceiptReports
}

export function makeCustomerReports({ store, cardLists, receiptLists }: CustomerReportDependencies): CustomerReports {
  return Object.freeze<CustomerReports>({ list, get })

  async function list(of: MerchantCardsKey, { after, count }: Parameters<CustomerReports['list']>[1]): Promise<CustomerPage> {
    const customers: CustomerInList[] = []
    let next = after
    for (let seen = 0; seen < examinedMax; seen += cardsAtOnce) {
      const page = await cardLists.list(of, '', { after: next, count: cardsAtOnce })
      for (const card of page.cards) {
        next = { at: card.createdAt, id: card.cardId }
        const found = card.state === 'tampered' ? null : await describe(of, card)
        if (found !== null) customers.push(found)
        if (customers.length === count) return { customers, next }
      }
      if (page.next === null) return { customers, next: null }
    }
    return { customers, next }
  }

  /** Null for a card that is not the newest of its customer: the customer was listed with that one. */
  async function describe({ bucket, merchantId }: MerchantCardsKey, card: CardRow): Promise<CustomerInList | null> {
    const { customer } = card
    if (customer === null || customer === '') return null
    const cards = await store.read(listCards({ bucket, merchantId, after: null, count: cardsCountMax, by: { customer } }))
    return cards[0]?.cardId === card.cardId ? { customer, cards: cards.length, newestCard: card } : null
  }

  async function get(of: MerchantCardsKey, customer: string): Promise<CustomerDetails> {
    const range = { from: 0, to: Number.MAX_SAFE_INTEGER, after: null }
    const [{ cards, next }, { receipts, next: nextReceipt }] = await Promise.all([
      cardLists.list(of, { customer }, { after: null, count: cardsMax }),
      receiptLists.list(of, { ...noConditions, ...range, customer, count: receiptsMax }),
    ])
    const sum = (of: (money: (typeof receipts)[number]['money']) => number): number =>
      receipts.reduce((total, { money }) => total + of(money), 0)
    return {
      cards,
      hasMoreCards: next !== null,
      payments: {
        count: receipts.length,
        paid: receipts.filter(({ money }) => money.capturedTiyin > 0).length,
        capturedTiyin: sum(({ capturedTiyin }) => capturedTiyin),
        refundedTiyin: sum(({ refundedTiyin }) => refundedTiyin),
        isComplete: nextReceipt === null,
      },
    }
  }
}

const cardsAtOnce = 100
const examinedMax = 500
const cardsCountMax = 11
const cardsMax = 100
const receiptsMax = 100
