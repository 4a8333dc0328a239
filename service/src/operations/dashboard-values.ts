import type { DashboardCard } from '@tessera/contract/operations/dashboard-cards'

import type { CardLookup } from '../domain/reporting/cards.ts'

/** A card for the dashboard: id and mask, never the token. A tampered row shows only its id and time. */
export function toDashboardCard(card: CardLookup): DashboardCard {
  if (card.state === 'tampered') {
    return {
      ...card,
      createdAt: toTimestamp(card.createdAt),
      number: '',
      expire: '',
      type: '',
      verified: false,
      recurrent: false,
      customer: null,
    }
  }
  const { cardId, maskedPan, expiry, type, state, verified, recurrent, customer, createdAt } = card
  const expire = `${expiry.slice(0, 2)}/${expiry.slice(2)}`
  return { cardId, number: maskedPan, expire, type, state, verified, recurrent, customer, createdAt }
}

/** The time of a tampered row; 0 if out of the range of dates (ECMA-262, 8.64e15 ms). */
export function toTimestamp(at: number): number {
  return Math.abs(at) <= 8.64e15 ? at : 0
}

/** Five digits, asterisks, two digits: as the wire masks phones. */
export function maskUserPhone(phone: string): string {
  return `${phone.slice(0, 5)}${'*'.repeat(Math.max(0, phone.length - 7))}${phone.slice(-2)}`
}
