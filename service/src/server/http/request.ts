import type { DashboardBrowser, OperatorTerminal } from '../../domain/request-context.ts'

import type { BodyPart } from './shared-body.ts'

/** An HTTP request to the API: the parts that the reply depends on. */
export interface HttpRequest {
  /** Set if the request is refused before its body is read. */
  readonly refusal: 'notPost' | 'overloaded' | 'connectionBusy' | 'addressBusy' | 'draining' | 'notFromDashboard' | null
  /** The path after `/api/`, not decoded; null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
  /** The handler reads and wipes it before it returns its promise: afterwards the next request may lie there. */
  readonly body: Buffer
  /** The X-Auth header, trimmed; null if there is none, or more than one. */
  readonly xAuth: string | null
  readonly origin: string | null
  /** Whether Origin or Sec-Fetch-Site is present. */
  readonly isFromBrowser: boolean
  readonly idempotencyKey: IdempotencyHeader
  readonly acceptLanguage: string | undefined
  /** As it was sent: anything. */
  readonly traceparent?: string | undefined
  /** The client's address. */
  readonly address: string
  /** When its head was read, in milliseconds of the monotonic clock. */
  readonly headReadAt?: number | undefined
  /** Counts the bytes of the reply so far, of a batch; false when there is no room for more. */
  readonly holdReply?: (bytes: number) => boolean
  /** At the dashboard's endpoint only. */
  readonly browser?: DashboardBrowser
  /** At the control socket only. */
  readonly terminal?: OperatorTerminal
}

export interface HttpReply {
  readonly status: 200 | 503
  readonly retryAfterSeconds: number | null
  /** The id of the call in log, audit and request log; for a batch the ids of its calls, separated by commas. */
  readonly requestId: string
  /** JSON. */
  readonly text: string
  /** The same as `text`, where some of it is shared with other replies. */
  readonly parts?: readonly BodyPart[]
  /** Whether the reply has no secret, and may be compressed; not set for an error or a batch. */
  readonly isCompressible?: true
}

/** The Idempotency-Key header: absent, a key, or not a valid key. */
export type IdempotencyHeader = { readonly key: string } | 'invalid' | null

/** Which call of the API a URL names. */
export interface ApiTarget {
  /** The path after `/api/`, not decoded; null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
}

/** Reads the target of the request line; null if it is not the API's. `/api/<one segment>` is, whatever the segment. */
export function readApiTarget(url: string): ApiTarget | null {
  if (!url.startsWith('/api')) return null
  const query = url.indexOf('?')
  const hasQuery = query >= 0
  const path = hasQuery ? url.slice(0, query) : url
  if (path === '/api' || path === '/api/') return { segment: null, hasQuery }
  const segment = path.slice('/api/'.length)
  return path.startsWith('/api/') && !segment.includes('/') ? { segment, hasQuery } : null
}
