import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../clock.ts'
import type { CodeEvent, Funnel, InboxRow, Store, TimePlace } from '../store/store.ts'

import type { CardsOf } from './cards.ts'

export type { CodeEvent, Funnel, InboxRow }

export interface ListPage {
  readonly after: TimePlace | null
  readonly count: number
}

/** What became of codes, as the merchant's people look at it. */
export interface CodeLists {
  funnel(of: CardsOf, days: number): Promise<Funnel & { readonly isWhole: boolean }>
  list(of: CardsOf, page: ListPage & { readonly failed: boolean }): Promise<{ events: CodeEvent[]; next: TimePlace | null }>
  /** Throws `testOnly`. */
  inbox(of: CardsOf, page: ListPage): Promise<{ messages: InboxRow[]; next: TimePlace | null }>
}

export interface CodeListParts {
  readonly store: Pick<Store, 'findFunnel' | 'listCodeEvents' | 'listInboxOf'>
  readonly clock: Pick<Clock, 'now'>
  /** Whether there is a sandbox with an inbox. */
  readonly hasInbox: boolean
}

export function makeCodeLists({ store, clock, hasInbox }: CodeListParts): CodeLists {
  return Object.freeze<CodeLists>({
    async funnel({ bucket, merchantId }, days) {
      const found = await store.findFunnel({ bucket, merchantId, from: clock.now() - days * dayMs, cardsMax })
      return { ...found, isWhole: found.created < cardsMax }
    },
    async list({ bucket, merchantId }, { after, count, failed }) {
      // Failures are picked out of so many rows at most: a page may be short, or empty, and still have a next one.
      const look = failed ? Math.max(lookMax, count) : count
      const looked = await store.listCodeEvents({ bucket, merchantId, after: readCodePlace(after), count: look + 1 })
      const rows = looked.slice(0, look)
      const picked = rows.filter((event) => !failed || isFailure(event)).slice(0, count)
      const isFull = failed && picked.length === count
      const last = isFull ? picked.at(-1) : rows.at(-1)
      const hasMore = looked.length > look || (isFull && last !== rows.at(-1))
      return { events: picked, next: last === undefined || !hasMore ? null : writeCodePlace(last) }
    },
    async inbox({ merchantId }, { after, count }) {
      if (!hasInbox) throw new RpcError('testOnly')
      const found = await store.listInboxOf({ merchantId, after, count: count + 1 })
      const messages = found.slice(0, count)
      const last = found.length > count ? messages.at(-1) : undefined
      return { messages, next: last === undefined ? null : { at: last.at, id: last.id } }
    },
  })
}

/** A code that did not go out, or was not right. */
export function isFailure({ action, outcome }: CodeEvent): boolean {
  if (action === 'card.verified') return false
  return action === 'code.tried' || (outcome !== 'sent' && outcome !== 'unknown')
}

/** The request's id and, of 13 hex digits, the place in the audit: two rows of one request have two places. */
function writeCodePlace({ at, requestId, seq }: CodeEvent): TimePlace {
  return { at, id: `${requestId}${seq.toString(16).padStart(seqDigits, '0')}` }
}

function readCodePlace(place: TimePlace | null): { at: number; requestId: string; seq: number } | null {
  if (place === null) return null
  if (place.id.length < seqDigits) throw new RpcError('memberInvalid', { data: 'after' })
  const seq = Number.parseInt(place.id.slice(-seqDigits), 16)
  return { at: place.at, requestId: place.id.slice(0, -seqDigits), seq }
}

const seqDigits = 13
const dayMs = 86_400_000
/** A funnel of more cards than these says that it is of the newest. */
const cardsMax = 2000
const lookMax = 500
