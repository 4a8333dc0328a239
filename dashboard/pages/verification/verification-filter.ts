import { type DayPeriod, toTimeRange } from '@tessera/contract/calendar-day'
import type { Params } from '@tessera/contract/operations'

import type { DashboardRoute } from '../../app/page-route.ts'

/** What the outcomes of codes are filtered by, as it is typed. An empty text filters nothing. */
export interface VerificationFilter {
  readonly outcome: (typeof codeOutcomes)[number] | ''
  /** A card id, the last four digits of a card or its mask. */
  readonly card: string
  /** Stays out of the address: it is stored in the history entry. */
  readonly phone: string
}

export const codeOutcomes = ['failed', 'not_sent', 'wrong', 'refused', 'sent', 'verified'] as const

export const noVerificationFilter: VerificationFilter = { outcome: '', card: '', phone: '' }

export function readVerificationFilter({ query, hidden }: Pick<DashboardRoute, 'query' | 'hidden'>): VerificationFilter {
  return {
    outcome: codeOutcomes.find((outcome) => outcome === query.get('outcome')) ?? '',
    card: toCard(query.get('card') ?? '') ?? '',
    phone: toPhone(hidden['phone'] ?? '') ?? '',
  }
}

/** The address of the filtered list, with the days of the page. */
export function verificationPath({ outcome, card }: VerificationFilter, query: URLSearchParams): string {
  const next = new URLSearchParams(['from', 'to'].flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : [])))
  if (outcome !== '') next.set('outcome', outcome)
  if (card !== '') next.set('card', card)
  return next.size === 0 ? 'verification' : `verification?${next.toString()}`
}

/** A typed card as it is sent: an id, four digits, or a mask. Of a token only its id. Null for what is no card. */
export function toCard(typed: string): string | null {
  const text = typed.trim().toLowerCase()
  if (text === '') return ''
  const id = /^([0-9a-f]{24})[0-9a-f]*$/.exec(text)?.[1]
  if (id !== undefined) return id
  const plain = text.replace(/[\s-]/g, '')
  return /^(?:\d{0,8}[*•.…x]+)?\d{4}$/.test(plain) ? plain : null
}

/** A typed phone in full, as digits: `+998 90 123-45-67`, and without the code of the country. Null for what is none. */
export function toPhone(typed: string): string | null {
  const text = typed.trim()
  if (text === '') return ''
  if (!/^\+?[\d\s()-]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  if (/^998\d{9}$/.test(digits)) return digits
  return /^\d{9}$/.test(digits) && !text.startsWith('+') ? `998${digits}` : null
}

/** The params of the call that lists what matches. */
export function toVerificationParams(
  { outcome, card, phone }: VerificationFilter,
  period: DayPeriod,
): Params<'dashboard.verification.list'> {
  const { from, to } = toTimeRange(period)
  return {
    from: Math.max(0, from),
    to: Math.max(0, to),
    ...(outcome === '' ? {} : { outcome }),
    ...(card === '' ? {} : { card }),
    ...(phone === '' ? {} : { phone }),
  }
}
