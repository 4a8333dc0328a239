import type { DashboardCard } from '@tessera/contract/methods.dashboard.cards'

import type { CardRow } from '../dashboard/cards.ts'

/** A card as the merchant's people see it: by its id and mask, never by its token. */
export function showCard(card: CardRow): DashboardCard {
  const { cardId, maskedPan, expiry, type, state, verified, recurrent, customer, createdAt } = card
  const expire = `${expiry.slice(0, 2)}/${expiry.slice(2)}`
  return { cardId, number: maskedPan, expire, type, state, verified, recurrent, customer, createdAt }
}
