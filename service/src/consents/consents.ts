import { bucketOf, bucketOfId } from '@tessera/vault/id'

import type { CardMac } from '../cards/mac.ts'
import type { CardKey, CardRow, ListedCard, Store, TimePlace } from '../store/store.ts'

import type { Disclosures } from './disclosures.ts'

/** What became of a cardholder's agreement that a card is kept, with the very text; it outlives the card. No card number is in it but the mask. */
export interface ToldConsent {
  readonly cardId: string
  readonly merchantId: string
  readonly customer: string | null
  readonly maskedPan: string
  readonly cardState: string
  /** Who says so: the service's own form, a page or app of the merchant's, its server; `merchant` where it asserts an agreement and shows none. */
  readonly by: 'form' | 'page' | 'server' | 'merchant' | 'unknown'
  /** ISO 8601. When the card came, by the service's clock. */
  readonly receivedAt: string
  /** ISO 8601. By the clock of whoever sent it; null where none was told. */
  readonly agreedAt: string | null
  readonly version: string | null
  readonly locale: string | null
  readonly sha256: string | null
  /** What was agreed to, whole; null where the merchant asserts it. */
  readonly text: string | null
  /** ISO 8601. When the card was removed or its life ended. */
  readonly cardEndedAt: string | null
  /** Whether the row is as the service wrote it. */
  readonly isTrue: boolean
}

/** A card whose row cannot be read is told as such and keeps nobody from the ones beside it. */
export interface BrokenConsent {
  readonly cardId: string
  readonly merchantId: string
  readonly brokenAt: string
}

export interface ConsentsPage {
  readonly consents: readonly (ToldConsent | BrokenConsent)[]
  /** Null on the last page. */
  readonly next: string | null
}

export interface ConsentsAsked {
  readonly merchantId: string
  /** Unix milliseconds; from, and before. */
  readonly from: number
  readonly to: number
  readonly after: string
}

/** The evidence, for the operator. */
export interface Consents {
  /** Null: there is no such card. `none`: it was made without any. */
  show(cardId: string): Promise<ToldConsent | 'none' | null>
  page(asked: ConsentsAsked): Promise<ConsentsPage>
}

/** The same, for the people of one merchant: newest first. */
export interface NewestConsents {
  newest(
    of: Pick<CardKey, 'bucket' | 'merchantId'>,
    page: { readonly after: TimePlace | null; readonly count: number },
  ): Promise<NewestPage>
}

export interface NewestPage {
  readonly consents: readonly ToldConsent[]
  readonly next: TimePlace | null
}

export interface ConsentParts {
  readonly store: Pick<Store, 'findCardOfAny' | 'listConsents' | 'listCards'>
  readonly disclosures: Pick<Disclosures, 'find'>
  readonly mac: Pick<CardMac, 'isTrue'>
}

export function makeConsents({ store, disclosures, mac }: ConsentParts): Consents & NewestConsents {
  return Object.freeze({
    newest,
    async show(cardId: string) {
      const bucket = bucketOfId(cardId)
      const card = bucket === null ? null : await store.findCardOfAny(bucket, cardId)
      if (card === null) return null
      return card.consent === null ? 'none' : tell(card)
    },
    async page({ merchantId, from, to, after }: ConsentsAsked) {
      const listed = await store.listConsents({ bucket: bucketOf(merchantId), merchantId, from, to, after, count: pageMax })
      const consents: (ToldConsent | BrokenConsent)[] = []
      for (const card of listed) consents.push(isBroken(card) ? tellBroken(card) : await tell(card))
      return { consents, next: listed.length === pageMax ? (listed.at(-1)?.cardId ?? null) : null }
    },
  })

  /** Cards without a consent lie between those with one: so many are looked at for a page, and a page may be short. */
  async function newest(of: Pick<CardKey, 'bucket' | 'merchantId'>, asked: { readonly after: TimePlace | null; readonly count: number }) {
    const found: CardRow[] = []
    let next = asked.after
    for (let looks = 0; looks < looksMax; looks++) {
      const listed = await store.listCards({ ...of, after: next, count: pageMax, by: null })
      const cards = listed.filter((card): card is CardRow => !isBroken(card))
      for (const card of cards) {
        next = { at: card.createdAt, id: card.cardId }
        if (card.consent !== null) found.push(card)
        if (found.length === asked.count) return { consents: await Promise.all(found.map(tell)), next }
      }
      if (listed.length < pageMax || cards.length === 0) return { consents: await Promise.all(found.map(tell)), next: null }
    }
    return { consents: await Promise.all(found.map(tell)), next }
  }

  async function tell(card: CardRow): Promise<ToldConsent> {
    const { by, version, locale, sha256, at } = readConsent(card.consent)
    const isNamed = version !== null && locale !== null && sha256 !== null
    return {
      ...{ cardId: card.cardId, merchantId: card.merchantId, customer: card.customer, maskedPan: card.maskedPan, cardState: card.state },
      ...{ by, receivedAt: moment(card.createdAt), agreedAt: at === null ? null : moment(at), version, locale, sha256 },
      text: isNamed ? ((await disclosures.find({ version, locale, sha256 }))?.text ?? null) : null,
      cardEndedAt: card.endedAt === null ? null : moment(card.endedAt),
      isTrue: await mac.isTrue(card),
    }
  }
}

interface KeptConsent extends Pick<ToldConsent, 'by' | 'version' | 'locale' | 'sha256'> {
  readonly at: number | null
}

/** By which way an agreement came; null: the card was made without. */
export function wayOf({ consent }: Pick<CardRow, 'consent'>): ToldConsent['by'] | null {
  return consent === null ? null : readConsent(consent).by
}

/** What `create` of a card wrote. */
function readConsent(text: string | null): KeptConsent {
  const kept = JSON.parse(text ?? '{}') as Record<string, unknown>
  if (kept['asserted'] === 'merchant') return { by: 'merchant', version: null, locale: null, sha256: null, at: null }
  const textOf = (name: string) => (typeof kept[name] === 'string' ? kept[name] : null)
  const by = ways.find((way) => way === kept['by']) ?? 'unknown'
  return { by, version: textOf('version'), locale: textOf('locale'), sha256: textOf('sha256'), at: readMoment(kept['at']) }
}

/** Beyond the years that a date can tell is no moment. */
function readMoment(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : null
}

function isBroken(card: ListedCard): card is Exclude<ListedCard, CardRow> {
  return 'brokenAt' in card
}

function tellBroken({ cardId, merchantId, brokenAt }: BrokenConsent): BrokenConsent {
  return { cardId, merchantId, brokenAt }
}

function moment(at: number): string {
  return new Date(at).toISOString()
}

const ways = ['form', 'page', 'server'] as const
const pageMax = 200
const looksMax = 5
