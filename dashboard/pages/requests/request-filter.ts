import type { Params } from '@tessera/contract/operations'

import { parseTashkentTime } from '../../format/time.ts'

/** The filter in the address. Only the members that are set. */
export type RequestLogFilter = Readonly<Partial<Record<RequestLogFilterName, string>>>
export type RequestLogFilterName = (typeof filterNames)[number]

const filterNames = ['method', 'outcome', 'code', 'request', 'card', 'receipt', 'from', 'to'] as const

export function parseRequestLogFilter(query: URLSearchParams): RequestLogFilter {
  return Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

/** `requests?method=cards.create`. */
export function requestFilterPath(filter: RequestLogFilter): string {
  const query = new URLSearchParams(filterNames.flatMap((name) => (filter[name] ? [[name, filter[name]]] : []))).toString()
  return `requests${query === '' ? '' : `?${query}`}`
}

/** The params for `dashboard.requests.list`. Invalid ids and numbers are left for the service to reject. Times are Tashkent time, as on the page. */
export function toListParams({
  method,
  outcome,
  code,
  request,
  card,
  receipt,
  from,
  to,
}: RequestLogFilter): Params<'dashboard.requests.list'> {
  const [fromAt, toAt] = [parseTashkentTime(from ?? ''), parseTashkentTime(to ?? '')]
  return {
    ...(method === undefined ? {} : { method }),
    ...(outcome === 'ok' || outcome === 'error' ? { outcome } : {}),
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(request === undefined ? {} : { requestId: request.trim() }),
    // A whole token is accepted too, but only its card id is sent.
    ...(card === undefined ? {} : { cardId: card.trim().slice(0, 24) }),
    ...(receipt === undefined ? {} : { receiptId: receipt.trim() }),
    ...(Number.isNaN(fromAt) ? {} : { from: Math.max(0, fromAt) }),
    ...(Number.isNaN(toAt) ? {} : { to: Math.max(0, toAt) }),
  }
}
