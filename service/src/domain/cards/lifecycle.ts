import { expiryEndsAt } from '@tessera/contract/card'

import type { CardRow } from '../../store/cards.ts'

import type { CardSettings } from './services.ts'

/** When the number of a new, unverified card is deleted, Unix milliseconds. */
export function unverifiedEndsAt(settings: CardSettings, now: number): number {
  return now + settings.unverifiedLifetimeMs
}

/** When the number of a card verified at `now` is deleted: 30 days after its expiry if recurrent, else after the one-time lifetime. */
export function verifiedEndsAt(settings: CardSettings, card: CardRow, now: number): number {
  return card.recurrent ? expiryEndsAt(card.expiry) + pastExpiryMs : now + settings.oneTimeLifetimeMs
}

/** The card after a correct code. Its MAC is made by `CardMac.seal`. */
export function verifiedCard(settings: CardSettings, card: CardRow, now: number): CardRow {
  return { ...card, verified: true, verifiedAt: now, endsAt: verifiedEndsAt(settings, card, now), version: card.version + 1 }
}

/** The card without its sealed PAN: a tombstone, so that the token is still known. */
export function shreddedCard(card: CardRow, state: 'removed' | 'ended', now: number): CardRow {
  return { ...card, state, keyId: '', blob: new Uint8Array(0), endedAt: now, version: card.version + 1 }
}

/** A saved card after its expiry. Its token works until the number is deleted. */
export function expiredCard(card: CardRow): CardRow {
  return { ...card, state: 'expired', version: card.version + 1 }
}

/** A saved card whose `endsAt` is before this time has passed its expiry at `now`. */
export function expiredCardsEndBefore(now: number): number {
  return now + pastExpiryMs
}

/** Whether the merchant gets an event when the card expires: only for saved, verified cards. */
export function shouldNotifyMerchant({ state, recurrent, verified }: CardRow): boolean {
  return state === 'live' && recurrent && verified
}

/** Whether the token works. `endsAt` decides, even if the sweeper has not run yet. */
export function isLive(card: CardRow, now: number): boolean {
  return (card.state === 'live' || card.state === 'expired') && now < card.endsAt
}

const pastExpiryMs = 30 * 24 * 3_600_000
