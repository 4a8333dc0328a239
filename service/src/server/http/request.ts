import type { DashboardBrowser } from '../../domain/request-context.ts'

/** An HTTP request to the API: the few things that the reply depends on. */
export interface HttpRequest {
  /** Set when it is refused before anything of it is read. */
  readonly refusal: 'notPost' | 'overloaded' | 'connectionBusy' | 'addressBusy' | 'draining' | 'notFromDashboard' | null
  /** What follows `/api/` in the URL, exactly as it stands there; null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
  /** The handler takes it over and wipes it. */
  readonly body: Buffer
  /** The header X-Auth without the blanks around it; null when there is none, or more than one. */
  readonly xAuth: string | null
  readonly origin: string | null
  /** Origin or Sec-Fetch-Site is there. */
  readonly isFromBrowser: boolean
  readonly idempotencyKey: IdempotencyHeader
  readonly acceptLanguage: string | undefined
  /** The client's address. */
  readonly address: string
  /** At the dashboard's endpoint only. */
  readonly browser?: DashboardBrowser
}

export interface HttpReply {
  readonly status: 200 | 503
  readonly retryAfterSeconds: number | null
  /** Log, audit and the merchant's request log know the call by it; of a batch one a call, in their order, separated by commas. */
  readonly requestId: string
  /** JSON. */
  readonly text: string
}

/** The header Idempotency-Key: absent, a key, or something that is none. */
export type IdempotencyHeader = { readonly key: string } | 'invalid' | null

/** Which call of the API a URL names. */
export interface ApiTarget {
  /** What follows `/api/`, exactly as it stands: nothing is decoded. Null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
}

/** Reads the target of the request line; null when it is none of the API's. `/api/<one segment>` always is, whatever the segment. */
export function readApiTarget(url: string): ApiTarget | null {
  if (!url.startsWith('/api')) return null
  const query = url.indexOf('?')
  const hasQuery = query >= 0
  const path = hasQuery ? url.slice(0, query) : url
  if (path === '/api' || path === '/api/') return { segment: null, hasQuery }
  const segment = path.slice('/api/'.length)
  return path.startsWith('/api/') && !segment.includes('/') ? { segment, hasQuery } : null
}
