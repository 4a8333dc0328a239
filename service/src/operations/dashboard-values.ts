import type { DashboardCard } from '@tessera/contract/operations/dashboard-cards'
import { maskPhone } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'

import type { CardLookup, CardWithHistory, TimeCursor } from '../domain/reporting/cards.ts'
import { userIdOf } from '../domain/users/audit-users.ts'

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

/** Who did a step of a history, for people: the user's name and masked phone. */
export function toStepUser(entry: { readonly actor: string }, users: CardWithHistory['users']): { name: string; phone: string | null } {
  const user = users.get(userIdOf(entry) ?? '')
  return user === undefined ? { name: '', phone: null } : { name: user.name, phone: maskPhone(user.phone) }
}

/** The time of a tampered row; 0 if out of the range of dates (ECMA-262, 8.64e15 ms). */
export function toTimestamp(at: number): number {
  return Math.abs(at) <= 8.64e15 ? at : 0
}

/** Reads `after` of a list by time, in the form of `formatCursor`. Throws `memberInvalid` for anything else. */
export function readCursor(after: string | null | undefined): TimeCursor | null {
  if (after === null || after === undefined) return null
  const [, at, id = ''] = /^(\d{1,16})\.([0-9a-f]{1,64})$/.exec(after) ?? []
  if (at === undefined) throw new RpcError('memberInvalid', { data: 'after' })
  return { at: Number(at), id }
}

/** The cursor of the next page; null after the last one. */
export function formatCursor(cursor: TimeCursor | null): string | null {
  return cursor === null ? null : `${cursor.at}.${cursor.id}`
}
