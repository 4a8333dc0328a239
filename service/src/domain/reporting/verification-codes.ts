import { RpcError } from '@tessera/contract/errors'

import { type CodeEvent, listCodeEvents } from '../../store/audit.ts'
import { type InboxRow, listMerchantInbox } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'
import { type CardCodeEvent, findFunnel, type Funnel, withMaskedPans } from '../../store/verification-reports.ts'

import type { MerchantCardsKey } from './cards.ts'
import type { TimeRange } from './daily-totals.ts'

export type { CardCodeEvent, Funnel, InboxRow }

export interface CodeListPage {
  readonly after: TimeCursor | null
  readonly count: number
}

/** Reports on verification codes for the merchant's users. */
export interface CodeReports {
  /** Of the cards created in a range of time. */
  funnel(of: MerchantCardsKey, range: TimeRange): Promise<Funnel & { readonly isComplete: boolean }>
  list(
    of: MerchantCardsKey,
    page: CodeListPage & { readonly failed: boolean },
  ): Promise<{ events: CardCodeEvent[]; next: TimeCursor | null }>
  /** Throws `testOnly`. */
  inbox(of: MerchantCardsKey, page: CodeListPage): Promise<{ messages: InboxRow[]; next: TimeCursor | null }>
}

export interface CodeReportDependencies {
  readonly store: Pick<Store, 'read'>
  /** Whether the sandbox inbox is available. */
  readonly hasInbox: boolean
}

export function makeCodeReports({ store, hasInbox }: CodeReportDependencies): CodeReports {
  return Object.freeze<CodeReports>({
    async funnel({ bucket, merchantId }, { from, to }) {
      const found = await findFunnel(store, { bucket, merchantId, from, to, cardsMax })
      return { ...found, isComplete: found.created < cardsMax }
    },
    async list({ bucket, merchantId }, { after, count, failed }) {
      // A bounded number of rows is searched for failures, so a page may be short or empty and still have a next one.
      const look = failed ? Math.max(lookMax, count) : count
      const looked = await store.read(listCodeEvents({ merchantId, after: readCodeCursor(after), count: look + 1 }))
      const rows = looked.slice(0, look)
      const picked = rows.filter((event) => !failed || isFailure(event)).slice(0, count)
      const isFull = failed && picked.length === count
      const last = isFull ? picked.at(-1) : rows.at(-1)
      const hasMore = looked.length > look || (isFull && last !== rows.at(-1))
      const events = await withMaskedPans(store, { bucket, merchantId }, picked)
      return { events, next: last === undefined || !hasMore ? null : writeCodePlace(last) }
    },
    async inbox({ merchantId }, { after, count }) {
      if (!hasInbox) throw new RpcError('testOnly')
      const found = await store.read(listMerchantInbox({ merchantId, after, count: count + 1 }))
      const messages = found.slice(0, count)
      const last = found.length > count ? messages.at(-1) : undefined
      return { messages, next: last === undefined ? null : { at: last.at, id: last.id } }
    },
  })
}

/** Whether the code was not sent or was wrong. */
export function isFailure({ action, outcome }: CodeEvent): boolean {
  if (action === 'card.verified') return false
  return action === 'code.attempted' || (outcome !== 'sent' && outcome !== 'unknown')
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
