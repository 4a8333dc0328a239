import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'

import { codeEventCardsMax, type CodeEvent, listCodeEvents, listCodeEventsOfCards } from '../../store/audit.ts'
import { type InboxRow, listMerchantInbox } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'
import { type CardCodeEvent, findFunnel, type Funnel, withMaskedPans } from '../../store/verification-reports.ts'

import type { CardReports, MerchantCardsKey } from './cards.ts'
import { codeOutcomeOf, isFailure, type CodeOutcome } from './code-outcome.ts'
import type { TimeRange } from './daily-totals.ts'
import { makeFindMessagesOfPhone } from './phone-messages.ts'
import { readSearchTerms } from './search-terms.ts'

export type { CardCodeEvent, Funnel, InboxRow }

export interface CodeListPage {
  readonly after: TimeCursor | null
  readonly count: number
}

/** What a list of outcomes of codes is filtered by. */
export interface CodeConditions extends TimeRange {
  /** Null for all. */
  readonly outcome: CodeOutcome | 'failed' | null
  /** A card id, the last four digits of a card or its mask; null for all cards. */
  readonly card: string | null
  /** In full; null for all. */
  readonly phone: string | null
}

export interface CodeEventPage {
  readonly events: CardCodeEvent[]
  readonly next: TimeCursor | null
  /** More cards match than were searched. */
  readonly isPartial: boolean
}

/** Reports on verification codes for the merchant's users. */
export interface CodeReports {
  /** Of the cards created in a range of time. */
  funnel(of: MerchantCardsKey, range: TimeRange): Promise<Funnel & { readonly isComplete: boolean }>
  /** Throws `memberInvalid` for a card or a phone that is none. */
  list(of: MerchantCardsKey, page: CodeListPage & CodeConditions): Promise<CodeEventPage>
  /** Throws `testOnly`. */
  inbox(of: MerchantCardsKey, page: CodeListPage): Promise<{ messages: InboxRow[]; next: TimeCursor | null }>
}

export interface CodeReportDependencies {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'list' | 'byId'>
  readonly cardLists: Pick<CardReports, 'list'>
  /** Whether the sandbox inbox is available. */
  readonly hasInbox: boolean
}

export function makeCodeReports({ store, keyring, cardLists, hasInbox }: CodeReportDependencies): CodeReports {
  const messagesOfPhone = makeFindMessagesOfPhone({ store, keyring })
  return Object.freeze<CodeReports>({
    async funnel({ bucket, merchantId }, { from, to }) {
      const found = await findFunnel(store, { bucket, merchantId, from, to, cardsMax })
      return { ...found, isComplete: found.created < cardsMax }
    },
    async list({ bucket, merchantId }, { after, count, from, to, outcome, card, phone }) {
      const of = { bucket, merchantId }
      const { cardIds, isPartial } = await findCards(of, { card, phone })
      // A bounded number of rows is searched for an outcome, so a page may be short or empty and still have a next one.
      const look = outcome === null ? count : Math.max(lookMax, count)
      const query = { merchantId, after: readCodeCursor(after), from, to, count: look + 1 }
      const looked = await findEvents(query, cardIds)
      const rows = looked.slice(0, look)
      const picked = rows.filter((event) => matches(event, outcome)).slice(0, count)
      const isFull = outcome !== null && picked.length === count
      const last = isFull ? picked.at(-1) : rows.at(-1)
      const hasMore = looked.length > look || (isFull && last !== rows.at(-1))
      const events = await withMaskedPans(store, of, picked)
      return { events, next: last === undefined || !hasMore ? null : writeCodePlace(last), isPartial }
    },
    async inbox({ merchantId }, { after, count }) {
      if (!hasInbox) throw new RpcError('testOnly')
      const found = await store.read(listMerchantInbox({ merchantId, after, count: count + 1 }))
      const messages = found.slice(0, count)
      const last = found.length > count ? messages.at(-1) : undefined
      return { messages, next: last === undefined ? null : { at: last.at, id: last.id } }
    },
  })

  async function findEvents(query: Parameters<typeof listCodeEvents>[0], cardIds: readonly string[] | null): Promise<CodeEvent[]> {
    if (cardIds === null) return store.read(listCodeEvents(query))
    return cardIds.length === 0 ? [] : store.read(listCodeEventsOfCards(query, cardIds))
  }

  /** The newest cards that a card and a phone name; null where neither is a condition. */
  async function findCards(of: MerchantCardsKey, { card, phone }: Pick<CodeConditions, 'card' | 'phone'>): Promise<NamedCards> {
    const named = card === null ? null : await findCardsNamed(of, card)
    const written = phone === null ? null : await findCardsOfPhone(of, phone)
    if (named === null || written === null) return named ?? written ?? { cardIds: null, isPartial: false }
    const isNamed = new Set(named.cardIds)
    return { cardIds: (written.cardIds ?? []).filter((cardId) => isNamed.has(cardId)), isPartial: named.isPartial || written.isPartial }
  }

  async function findCardsNamed(of: MerchantCardsKey, typed: string): Promise<NamedCards> {
    const { id, cardMask } = readSearchTerms(typed)
    // The entries of a card are the merchant's own, whether or not its row is still there.
    if (id !== null) return { cardIds: [id], isPartial: false }
    if (cardMask === null) throw new RpcError('memberInvalid', { data: 'card' })
    const { cards, next } = await cardLists.list(of, cardMask, { after: null, count: codeEventCardsMax })
    return { cardIds: cards.map(({ cardId }) => cardId), isPartial: next !== null }
  }

  async function findCardsOfPhone(of: MerchantCardsKey, typed: string): Promise<NamedCards> {
    const { phone } = readSearchTerms(typed)
    if (phone === null) throw new RpcError('memberInvalid', { data: 'phone' })
    const messages = await messagesOfPhone(of, phone, messagesMax)
    const cardIds = new Set(messages.filter(({ purpose }) => purpose === 'code').map(({ subject }) => subject))
    return {
      cardIds: [...cardIds].slice(0, codeEventCardsMax),
      isPartial: messages.length === messagesMax || cardIds.size > codeEventCardsMax,
    }
  }
}

interface NamedCards {
  readonly cardIds: readonly string[] | null
  readonly isPartial: boolean
}

function matches(event: CodeEvent, outcome: CodeConditions['outcome']): boolean {
  if (outcome === null) return true
  return outcome === 'failed' ? isFailure(event) : codeOutcomeOf(event) === outcome
}

/** The request id followed by 13 hex digits of the position in the audit: two rows of one request differ in position. */
function writeCodePlace({ at, requestId, seq }: CodeEvent): TimeCursor {
  return { at, id: `${requestId}${seq.toString(16).padStart(seqDigits, '0')}` }
}

function readCodeCursor(place: TimeCursor | null): { at: number; requestId: string; seq: number } | null {
  if (place === null) return null
  if (place.id.length < seqDigits) throw new RpcError('memberInvalid', { data: 'after' })
  const seq = Number.parseInt(place.id.slice(-seqDigits), 16)
  return { at: place.at, requestId: place.id.slice(0, -seqDigits), seq }
}

const seqDigits = 13
/** With more cards than this, the funnel covers only the newest. */
const cardsMax = 2000
const lookMax = 500
/** So many messages to one phone are looked at. */
const messagesMax = 200
