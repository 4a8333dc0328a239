import type { CardRow, ListedCard } from './card.ts'

/** What a consent names, and what it is found by. */
export interface DisclosureKey {
  readonly version: string
  readonly locale: string
  /** Of the text in UTF-8, hex. */
  readonly sha256: string
}

/** A text that cardholders were asked to agree to. */
export interface DisclosureRow extends DisclosureKey {
  readonly text: string
  /** Unix milliseconds. */
  readonly firstUsedAt: number
  readonly lastUsedAt: number
}

export interface ConsentsAsk {
  readonly bucket: number
  readonly merchantId: string
  /** Cards created from this moment on, unix ms, and before `to`. */
  readonly from: number
  readonly to: number
  /** The last card of the page before; '' for the first. */
  readonly after: string
  readonly count: number
}

/** What was shown and what was agreed to. No question takes a text out again. */
export interface ConsentStore {
  /** Keeps a text that is new with its moment; of one that is there, moves on when it was last used. */
  keepDisclosure(used: DisclosureRow): Promise<void>
  findDisclosure(key: DisclosureKey): Promise<DisclosureRow | null>
  /** A card of whichever merchant, for the operator. */
  findCardOfAny(bucket: number, cardId: string): Promise<CardRow | null>
  /** Cards with a consent, live or gone, in the order of their ids. */
  listConsents(ask: ConsentsAsk): Promise<ListedCard[]>
}
