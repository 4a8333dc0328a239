import type { Params } from '@tessera/contract/operations'

import type { DashboardRoute } from '../../app/page-route.ts'
import { parseTashkentTime } from '../../format/time.ts'

/** The filter, as it is typed. Only the members that are set. */
export type RequestLogFilter = Readonly<Partial<Record<RequestLogFilterName, string>>>
export type RequestLogFilterName = (typeof shownNames)[number] | (typeof hiddenNames)[number]

const shownNames = ['method', 'outcome', 'code', 'reason', 'request', 'card', 'receipt', 'address', 'minMs', 'maxMs', 'from', 'to'] as const
/** Texts of the merchant's customers, which stay out of the address. */
const hiddenNames = ['order', 'customer'] as const
const addressClasses = ['loopback', 'private', 'public'] as const

/** The filter of an address and its history entry. */
export function readRequestLogFilter({ query, hidden }: Pick<DashboardRoute, 'query' | 'hidden'>): RequestLogFilter {
  return {
    ...Object.fromEntries(shownNames.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : []))),
    ...Object.fromEntries(hiddenNames.flatMap((name) => (hidden[name] ? [[name, hidden[name]]] : []))),
  }
}

/** What is given to `navigate` beside the address. */
export function hiddenRequestFilter(filter: RequestLogFilter): Readonly<Record<string, string>> {
  return Object.fromEntries(hiddenNames.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])))
}

/** `requests?method=cards.create`. */
export function requestFilterPath(filter: RequestLogFilter): string {
  const query = new URLSearchParams(shownNames.flatMap((name) => (filter[name] ? [[name, filter[name]]] : []))).toString()
  return `requests${query === '' ? '' : `?${query}`}`
}

/** The params for `dashboard.requests.list`. Invalid ids and numbers are left for the service to reject. Times are Tashkent time, as on the page. */
export function toListParams({
  method,
  outcome,
  code,
  reason,
  request,
  card,
  receipt,
  address,
  order,
  customer,
  minMs,
  maxMs,
  from,
  to,
}: RequestLogFilter): Params<'dashboard.requests.list'> {
  const addressClass = addressClasses.find((each) => each === address)
  const [fromAt, toAt] = [parseTashkentTime(from ?? ''), parseTashkentTime(to ?? '')]
  return {
    ...(method === undefined ? {} : { method }),
    ...(outcome === 'ok' || outcome === 'error' ? { outcome } : {}),
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(reason === undefined ? {} : { reason: reason.trim() }),
    ...(request === undefined ? {} : { requestId: request.trim() }),
    // A whole token is accepted too, but only its card id is sent.
    ...(card === undefined ? {} : { cardId: card.trim().slice(0, 24) }),
    ...(receipt === undefined ? {} : { receiptId: receipt.trim() }),
    ...(addressClass === undefined ? {} : { address: addressClass }),
    ...toLoggedText('order', order),
    ...toLoggedText('customer', customer),
    ...(minMs === undefined ? {} : { minMs: Number(minMs) }),
    ...(maxMs === undefined ? {} : { maxMs: Number(maxMs) }),
    ...(Number.isNaN(fromAt) ? {} : { from: Math.max(0, fromAt) }),
    ...(Number.isNaN(toAt) ? {} : { to: Math.max(0, toAt) }),
  }
}

function toLoggedText<Name extends string>(name: Name, text = ''): Partial<Record<Name, string>> {
  const typed = text.trim()
  return typed === '' ? {} : ({ [name]: typed.slice(0, loggedTextMax) } as Record<Name, string>)
}

/** The request log stores no longer ones. */
const loggedTextMax = 64
