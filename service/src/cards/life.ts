import { expiryEndsAt } from '@tessera/contract/card'

import type { CardRow } from '../store/store.ts'

import type { CardFigures } from './figures.ts'

/** When a new, unverified card is shredded, unix ms. */
export function unverifiedEndsAt(figures: CardFigures, now: number): number {
  return now + figures.unverifiedLifeMs
}

/** When a card that is verified `now` is shredded: 30 days past its expiry if it may be charged again, else after one payment's time. */
export function verifiedEndsAt(figures: CardFigures, card: CardRow, now: number): number {
  return card.recurrent ? expiryEndsAt(card.expiry) + pastExpiryMs : now + figures.oneTimeLifeMs
}

/** What a live card becomes when its code was right. The MAC is made by `CardMac.seal`. */
export function verifiedCard(figures: CardFigures, card: CardRow, now: number): CardRow {
  return { ...card, verified: true, verifiedAt: now, endsAt: verifiedEndsAt(figures, card, now), version: card.version + 1 }
}

/** What a card becomes when its sealed PAN goes: a tombstone that still answers for the token. */
export function shreddedCard(card: CardRow, state: 'removed' | 'ended', now: number): CardRow {
  return { ...card, state, keyId: '', blob: new Uint8Array(0), endedAt: now, version: card.version + 1 }
}

/** What a kept card becomes when its expiry has passed: the token still stands for it until it is shredded. */
export function expiredCard(card: CardRow): CardRow {
  return { ...card, state: 'expired', version: card.version + 1 }
}

/** The moment before which a kept card has to end for its expiry to have passed by `now`. */
export function keptBefore(now: number): number {
  return now + pastExpiryMs
}

/** Whether its merchant hears when time takes the card out of `live`: of one that it keeps. One-time and unverified cards end without a word. */
export function isMissed({ state, recurrent, verified }: CardRow): boolean {
  return state === 'live' && recurrent && verified
}

/** Whether the token still stands for a card. The sweeper comes later than the end; the end counts. */
export function isLive(card: CardRow, now: number): boolean {
  return (card.state === 'live' || card.state === 'expired') && now < card.endsAt
}

const pastExpiryMs = 30 * 24 * 3_600_000
