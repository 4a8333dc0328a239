import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import { makeCardMac } from '../cards/mac.ts'
import type { AuditEntry, CardReceipt, CardRow, CardsAsk, ListedCard, OperationRow, TimePlace } from '../store/store.ts'

import type { DashboardParts } from './parts.ts'

export type { AuditEntry, CardReceipt, CardRow, OperationRow, TimePlace }

/** A card whose row is not as we wrote it: nothing is told of it but where it stands. */
export interface TamperedCard {
  readonly state: 'tampered'
  readonly cardId: string
  readonly createdAt: number
}

export type LookedCard = CardRow | TamperedCard

/** A page of cards, and where the next one begins. */
export interface CardPage {
  readonly cards: readonly LookedCard[]
  readonly next: TimePlace | null
}

export interface FoundCardHistory {
  readonly card: LookedCard
  readonly entries: readonly AuditEntry[]
  /** Those that hold the card: paid, held, or being paid. */
  readonly receipts: readonly CardReceipt[]
  /** Payments that were refused to it; their receipts may have been paid with another card since. */
  readonly refused: readonly OperationRow[]
}

export interface CardLists {
  list(of: CardsOf, search: string, page: { readonly after: TimePlace | null; readonly count: number }): Promise<CardPage>
  /** Throws `cardNotFound`. */
  get(of: CardsOf, cardId: string): Promise<FoundCardHistory>
}

export interface CardsOf {
  readonly bucket: number
  readonly merchantId: string
}

export type CardListParts = Pick<DashboardParts, 'store' | 'keyring' | 'environment' | 'alarm'>

/** The merchant's cards as its people look at them. Each row is checked as the API checks it; one that is not ours is shown as such, and its neighbours stay. */
export function makeCardLists(parts: CardListParts): CardLists {
  const { store } = parts
  const look = makeCardLook(parts)
  return Object.freeze({ list, get })

  async function list(of: CardsOf, search: string, { after, count }: Parameters<CardLists['list']>[2]): Promise<CardPage> {
    const wanted = readSearch(search)
    if (typeof wanted === 'string') {
      const card = bucketOfId(wanted) === of.bucket ? await store.lookAtCard({ ...pick(of), cardId: wanted }) : null
      if (card !== null) return { cards: [await look(card)], next: null }
    }
    const { by, mask } = typeof wanted === 'string' ? { by: { customer: wanted }, mask: null } : wanted
    const listed = await store.listCards({ ...pick(of), after, count: count + 1, by })
    const cards = await Promise.all(listed.slice(0, count).map(look))
    const last = listed.length > count ? cards.at(-1) : undefined
    return {
      cards: mask === null ? cards : cards.filter((card) => card.state === 'tampered' || card.maskedPan.startsWith(mask)),
      // Nothing of ours is older than 1970: behind such a row there is nothing to go on to.
      next: last === undefined || last.createdAt < 0 ? null : { at: last.createdAt, id: last.cardId },
    }
  }

  async function get(of: CardsOf, cardId: string): Promise<FoundCardHistory> {
    const key = { ...pick(of), cardId }
    const card = bucketOfId(cardId) === of.bucket ? await store.lookAtCard(key) : null
    if (card === null) throw new RpcError('cardNotFound', { data: 'cardId' })
    const [entries, receipts, refused] = await Promise.all([
      store.listAuditOf(of.merchantId, cardId, entriesMax),
      store.listReceiptsOfCard(key, receiptsMax),
      store.listRefusedOfCard(key, refusedMax),
    ])
    return { card: await look(card), entries, receipts, refused }
  }
}

/** Checks a row of the store as the API checks it, and tells the operator of one that is not ours. */
export function makeCardLook({ keyring, environment, alarm }: Omit<CardListParts, 'store'>): (card: ListedCard) => Promise<LookedCard> {
  const mac = makeCardMac(keyring, environment)
  return async (card) => {
    if (!('brokenAt' in card) && (await mac.isTrue(card))) return card
    const { merchantId, cardId, createdAt } = card
    alarm('row_tampered', { merchantId, cardId, requestId: '' })
    return { state: 'tampered', cardId, createdAt }
  }
}

/** A card id is told as text; four last digits, or a mask of them, are found by their index; anything else is the merchant's own id of the payer. */
export function readSearch(text: string): string | { readonly by: CardsAsk['by']; readonly mask: string | null } {
  const search = text.trim()
  if (search === '') return { by: null, mask: null }
  if (/^[0-9a-f]{24}$/.test(search)) return search
  const [, iin = '', lastFour] = /^(\d{4,8})?[\s*•.…-]*(\d{4})$/.exec(search) ?? []
  if (lastFour !== undefined) return { by: { lastFour }, mask: iin === '' ? null : iin.slice(0, 6) }
  return { by: { customer: search }, mask: null }
}

function pick({ bucket, merchantId }: CardsOf): CardsOf {
  return { bucket, merchantId }
}

const entriesMax = 100
const receiptsMax = 50
const refusedMax = 50
