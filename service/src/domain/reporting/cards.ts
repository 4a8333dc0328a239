import { RpcError } from '@tessera/contract/errors'
import { bucketOfId } from '@tessera/vault/id'

import { type AuditRow, listAuditOfSubject } from '../../store/audit.ts'
import { type CardListQuery, type CardRow, findCardOrBroken, listCards, type ListedCard, cardsTable } from '../../store/cards.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'
import { listDeclinedOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import { type CardReceipt, listReceiptsOfCard } from '../../store/receipts.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { sortHistory } from '../audit-order.ts'
import { findAuditUsers, userIdOf } from '../users/audit-users.ts'
import type { DashboardDependencies } from '../users/dependencies.ts'
import { keepValid, makeVerifiedRows } from '../verified-rows.ts'

export type { AuditRow, CardReceipt, CardRow, OperationRow, TimeCursor }

/** A card whose row has a wrong MAC. Only its position is shown. */
export interface TamperedCard {
  readonly state: 'tampered'
  readonly cardId: string
  readonly createdAt: number
}

export type CardLookup = CardRow | TamperedCard

/** A page of cards and the cursor of the next one. */
export interface CardPage {
  readonly cards: readonly CardLookup[]
  readonly next: TimeCursor | null
}

export interface CardWithHistory {
  readonly card: CardLookup
  readonly entries: readonly AuditRow[]
  /** Those of the entries, by their ids. */
  readonly users: ReadonlyMap<string, DashboardUserRow>
  /** Receipts that use the card: paid, held or being paid. */
  readonly receipts: readonly CardReceipt[]
  /** Declined payments with the card. Their receipts may have been paid with another card since. */
  readonly refused: readonly OperationRow[]
}

export interface CardReports {
  /** `search` is what somebody typed, as `readSearch` reads it, or a customer and nothing else. */
  list(
    of: MerchantCardsKey,
    search: string | { readonly customer: string },
    page: { readonly after: TimeCursor | null; readonly count: number },
  ): Promise<CardPage>
  /** Throws `cardNotFound`. */
  get(of: MerchantCardsKey, cardId: string): Promise<CardWithHistory>
}

export interface MerchantCardsKey {
  readonly bucket: number
  readonly merchantId: string
}

export type CardReportDependencies = Pick<DashboardDependencies, 'store' | 'keyring' | 'environment' | 'alarm' | 'freshness'>

/** The merchant's cards as shown to its users. Each row is verified as in the API. A tampered row is shown as tampered and does not affect the others. */
export function makeCardReports(deps: CardReportDependencies): CardReports {
  const { store } = deps
  const lookUp = makeCardLookup(deps)
  const operationRows = makeVerifiedRows(deps, operationsTable)
  return Object.freeze({ list, get })

  async function list(...[of, search, { after, count }]: Parameters<CardReports['list']>): Promise<CardPage> {
    const wanted = typeof search === 'string' ? readSearch(search) : { by: search, mask: null }
    if (typeof wanted === 'string') {
      const card = bucketOfId(wanted) === of.bucket ? await store.read(findCardOrBroken({ ...pick(of), cardId: wanted })) : null
      if (card !== null) return { cards: [await lookUp(card)], next: null }
    }
    const { by, mask } = typeof wanted === 'string' ? { by: { customer: wanted }, mask: null } : wanted
    const listed = await store.read(listCards({ ...pick(of), after, count: count + 1, by }))
    const cards = await Promise.all(listed.slice(0, count).map(lookUp))
    const last = listed.length > count ? cards.at(-1) : undefined
    return {
      cards: mask === null ? cards : cards.filter((card) => card.state === 'tampered' || card.maskedPan.startsWith(mask)),
      // A time before 1970 is not ours, so it cannot be a cursor: there is no next page.
      next: last === undefined || last.createdAt < 0 ? null : { at: last.createdAt, id: last.cardId },
    }
  }

  async function get(of: MerchantCardsKey, cardId: string): Promise<CardWithHistory> {
    const key = { ...pick(of), cardId }
    const card = bucketOfId(cardId) === of.bucket ? await store.read(findCardOrBroken(key)) : null
    if (card === null) throw new RpcError('cardNotFound', { data: 'cardId' })
    const [entries, receipts, refused] = await Promise.all([
      store.read(listAuditOfSubject(of.merchantId, cardId, entriesMax)),
      store.read(listReceiptsOfCard(key, receiptsMax)),
      store.read(listDeclinedOperations(key, refusedMax)),
    ])
    const [found, users, valid] = await Promise.all([
      lookUp(card),
      findAuditUsers(store, of.merchantId, entries.map(userIdOf)),
      keepValid(operationRows, refused),
    ])
    return { card: found, entries: sortHistory(entries), users, receipts, refused: valid }
  }
}

/** Verifies a stored row as the API does, and raises the alarm for a tampered one. */
export function makeCardLookup(deps: Omit<CardReportDependencies, 'store'>): (card: ListedCard) => Promise<CardLookup> {
  const rows = makeVerifiedRows(deps, cardsTable)
  return async (card) => {
    const { merchantId, cardId, createdAt } = card
    if ('brokenAt' in card) deps.alarm('row_tampered', { merchantId, cardId, requestId: '', table: cardsTable.name })
    else if (await rows.isValid(card)) return card
    return { state: 'tampered', cardId, createdAt }
  }
}

/** Interprets a search text: a card id, the last four digits (also masked), or otherwise the merchant's customer id. */
export function readSearch(text: string): string | { readonly by: CardListQuery['by']; readonly mask: string | null } {
  const search = text.trim()
  if (search === '') return { by: null, mask: null }
  if (/^[0-9a-f]{24}$/.test(search)) return search
  const [, iin = '', lastFour] = /^(\d{4,8})?[\s*•.…-]*(\d{4})$/.exec(search) ?? []
  if (lastFour !== undefined) return { by: { lastFour }, mask: iin === '' ? null : iin.slice(0, 6) }
  return { by: { customer: search }, mask: null }
}

function pick({ bucket, merchantId }: MerchantCardsKey): MerchantCardsKey {
  return { bucket, merchantId }
}

const entriesMax = 100
const receiptsMax = 50
const refusedMax = 50
