import { bucketOf, bucketOfId } from '@tessera/vault/id'
import type { RowAuthenticator } from '@tessera/vault/rowmac'

import { type CardKey, type CardRow, findCardOfAnyMerchant, listCards, listConsents, type ListedCard } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import type { Disclosures } from './disclosures.ts'

/** A cardholder's consent to card storage, with the exact text. It outlives the card and holds only the masked card number. */
export interface ConsentView {
  readonly cardId: string
  readonly merchantId: string
  readonly customer: string | null
  readonly maskedPan: string
  readonly cardState: string
  /** The source of the consent: the service's form, the merchant's page or app, or its server. `merchant`: asserted without evidence. */
  readonly by: 'form' | 'page' | 'server' | 'merchant' | 'unknown'
  /** ISO 8601. When the card was received, by the service's clock. */
  readonly receivedAt: string
  /** ISO 8601. By the sender's clock; null when not sent. */
  readonly agreedAt: string | null
  readonly version: string | null
  readonly locale: string | null
  readonly sha256: string | null
  /** The full text agreed to; null when the merchant asserts the consent. */
  readonly text: string | null
  /** ISO 8601. When the card was removed or expired. */
  readonly cardEndedAt: string | null
  /** Whether the MAC of the card's row is valid. */
  readonly hasValidMac: boolean
}

/** A card whose row cannot be read. It is reported so and does not affect the other cards. */
export interface BrokenConsent {
  readonly cardId: string
  readonly merchantId: string
  readonly brokenAt: string
}

export interface ConsentsPage {
  readonly consents: readonly (ConsentView | BrokenConsent)[]
  /** Null on the last page. */
  readonly next: string | null
}

export interface ConsentExportQuery {
  readonly merchantId: string
  /** Unix milliseconds; `from` is inclusive, `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly after: string
}

/** Consent evidence for operators. */
export interface Consents {
  /** Null: no such card. `none`: the card was created without a consent. */
  show(cardId: string): Promise<ConsentView | 'none' | null>
  page(query: ConsentExportQuery): Promise<ConsentsPage>
}

/** Consent evidence for one merchant's users, newest first. */
export interface RecentConsents {
  newest(
    of: Pick<CardKey, 'bucket' | 'merchantId'>,
    page: { readonly after: TimeCursor | null; readonly count: number },
  ): Promise<RecentConsentsPage>
}

export interface RecentConsentsPage {
  readonly consents: readonly ConsentView[]
  readonly next: TimeCursor | null
}

export interface ConsentDependencies {
  readonly store: Pick<Store, 'read'>
  readonly disclosures: Pick<Disclosures, 'find'>
  readonly mac: Pick<RowAuthenticator<CardRow>, 'hasValidMac'>
}

export function makeConsents({ store, disclosures, mac }: ConsentDependencies): Consents & RecentConsents {
  return Object.freeze({
    newest,
    async show(cardId: string) {
      const bucket = bucketOfId(cardId)
      const card = bucket === null ? null : await store.read(findCardOfAnyMerchant(bucket, cardId))
      if (card === null) return null
      return card.consent === null ? 'none' : toView(card)
    },
    async page({ merchantId, from, to, after }: ConsentExportQuery) {
      const listed = await store.read(listConsents({ bucket: bucketOf(merchantId), merchantId, from, to, after, count: pageLength }))
      const consents: (ConsentView | BrokenConsent)[] = []
      for (const card of listed) consents.push(isBroken(card) ? toBrokenView(card) : await toView(card))
      return { consents, next: listed.length === pageLength ? (listed.at(-1)?.cardId ?? null) : null }
    },
  })

  /** Cards without a consent are skipped. The number of rows read per page is bounded, so a page may be short. */
  async function newest(of: Pick<CardKey, 'bucket' | 'merchantId'>, query: { readonly after: TimeCursor | null; readonly count: number }) {
    const found: CardRow[] = []
    let next = query.after
    for (let pagesRead = 0; pagesRead < maxPagesRead; pagesRead++) {
      const listed = await store.read(listCards({ ...of, after: next, count: pageLength, by: null }))
      const cards = listed.filter((card): card is CardRow => !isBroken(card))
      for (const card of cards) {
        next = { at: card.createdAt, id: card.cardId }
        if (card.consent !== null) found.push(card)
        if (found.length === query.count) return { consents: await Promise.all(found.map(toView)), next }
      }
      if (listed.length < pageLength || cards.length === 0) return { consents: await Promise.all(found.map(toView)), next: null }
    }
    return { consents: await Promise.all(found.map(toView)), next }
  }

  async function toView(card: CardRow): Promise<ConsentView> {
    const { by, version, locale, sha256, at } = readConsent(card.consent)
    const isNamed = version !== null && locale !== null && sha256 !== null
    return {
      cardId: card.cardId,
      merchantId: card.merchantId,
      customer: card.customer,
      maskedPan: card.maskedPan,
      cardState: card.state,
      by,
      receivedAt: isoTime(card.createdAt),
      agreedAt: at === null ? null : isoTime(at),
      version,
      locale,
      sha256,
      text: isNamed ? ((await disclosures.find({ version, locale, sha256 }))?.text ?? null) : null,
      cardEndedAt: card.endedAt === null ? null : isoTime(card.endedAt),
      hasValidMac: await mac.hasValidMac(card),
    }
  }
}

interface StoredConsent extends Pick<ConsentView, 'by' | 'version' | 'locale' | 'sha256'> {
  readonly at: number | null
}

/** The source of a card's consent; null: the card has none. */
export function consentSourceOf({ consent }: Pick<CardRow, 'consent'>): ConsentView['by'] | null {
  return consent === null ? null : readConsent(consent).by
}

/** Parses the consent stored by `cards.create`. */
function readConsent(text: string | null): StoredConsent {
  const stored = JSON.parse(text ?? '{}') as Record<string, unknown>
  if (stored['asserted'] === 'merchant') return { by: 'merchant', version: null, locale: null, sha256: null, at: null }
  const textOf = (name: string) => (typeof stored[name] === 'string' ? stored[name] : null)
  const by = sources.find((source) => source === stored['by']) ?? 'unknown'
  return { by, version: textOf('version'), locale: textOf('locale'), sha256: textOf('sha256'), at: readTimestamp(stored['at']) }
}

/** Null for values outside the range of `Date`. */
function readTimestamp(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : null
}

function isBroken(card: ListedCard): card is Exclude<ListedCard, CardRow> {
  return 'brokenAt' in card
}

function toBrokenView({ cardId, merchantId, brokenAt }: BrokenConsent): BrokenConsent {
  return { cardId, merchantId, brokenAt }
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}

const sources = ['form', 'page', 'server'] as const
const pageLength = 200
const maxPagesRead = 5
