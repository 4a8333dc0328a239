import type { Params } from '@tessera/contract/methods'

import { readTime } from '../../parts/time.tsx'

/** The filter as it stands in the address: only what is asked for. */
export type Filter = Readonly<Partial<Record<FilterName, string>>>
export type FilterName = (typeof filterNames)[number]

const filterNames = ['method', 'outcome', 'code', 'request', 'card', 'from', 'to'] as const

export function readFilter(query: URLSearchParams): Filter {
  return Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

/** `requests?method=cards.create`. */
export function pathOfFilter(filter: Filter): string {
  const query = new URLSearchParams(filterNames.flatMap((name) => (filter[name] ? [[name, filter[name]]] : []))).toString()
  return `requests${query === '' ? '' : `?${query}`}`
}

/** As it is asked; what is no id or no number is left to the service to refuse. Moments are Tashkent's, as they are shown. */
export function askOf({ method, outcome, code, request, card, from, to }: Filter): Params<'dashboard.requests.list'> {
  const [fromAt, toAt] = [readTime(from ?? ''), readTime(to ?? '')]
  return {
    ...(method === undefined ? {} : { method }),
    ...(outcome === 'ok' || outcome === 'error' ? { outcome } : {}),
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(request === undefined ? {} : { requestId: request.trim() }),
    // A whole token is taken too; only its card id is sent.
    ...(card === undefined ? {} : { cardId: card.trim().slice(0, 24) }),
    ...(Number.isNaN(fromAt) ? {} : { from: Math.max(0, fromAt) }),
    ...(Number.isNaN(toAt) ? {} : { to: Math.max(0, toAt) }),
  }
}

/** A filter that somebody gave a name. */
export interface NamedFilter {
  readonly name: string
  readonly filter: Filter
}

export const namedMax = 20

/** Of one user, in this browser: a filter is no secret of the merchant's, and is not worth a table. */
export function readNamed(userId: string): readonly NamedFilter[] {
  try {
    const read = JSON.parse(localStorage.getItem(placeOf(userId)) ?? '[]') as unknown
    return Array.isArray(read) ? read.filter(isNamed).slice(0, namedMax) : []
  } catch {
    return []
  }
}

export function keepNamed(userId: string, named: readonly NamedFilter[]): void {
  localStorage.setItem(placeOf(userId), JSON.stringify(named))
}

function isNamed(read: unknown): read is NamedFilter {
  return typeof read === 'object' && read !== null && 'name' in read && typeof read.name === 'string' && 'filter' in read
}

function placeOf(userId: string): string {
  return `tessera.requests.${userId}`
}
