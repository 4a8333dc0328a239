import type { IncomingHttpHeaders } from 'node:http'

import type { Clock } from '../../clock.ts'

import type { AddressGuard } from './address-guard.ts'
import { headBytesMax, sendBoundedRequest, type MissingReply } from './bounded-request.ts'

/** The outcome of fetching a page. */
export type HttpGetResult = HttpGetResponse | MissingReply | { readonly outcome: 'unreachable' | 'forbidden_address' }

export interface HttpGetResponse {
  readonly outcome: 'responded'
  /** HTTP status. Redirects are not followed. */
  readonly status: number
  /** '' for a missing header; repeated headers are joined by commas. */
  readonly headers: {
    readonly location: string
    readonly contentEncoding: string
    readonly contentSecurityPolicy: string
    /** The headers of the reply that protect a page, by name; only those that it has. */
    readonly protecting: Readonly<Record<string, string>>
  }
  /** Null when the body was too long or incomplete. */
  readonly body: Uint8Array | null
}

export interface HttpGetOptions {
  readonly guard: Pick<AddressGuard, 'choose'>
  readonly clock: Clock
  /** Covers name resolution, connection and reply. */
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

export type HttpGet = (url: URL, signal: AbortSignal) => Promise<HttpGetResult>

/** Fetches a page, or one of its scripts, without cookies or credentials. The reply is bounded. Never throws. */
export function makeHttpGet({ guard, clock, timeoutMs, replyBytesMax }: HttpGetOptions): HttpGet {
  return async (url, signal) => {
    const headers = { accept: 'text/html, */*;q=0.5', 'accept-encoding': 'identity', 'user-agent': 'tessera-page-check' }
    const request = { method: 'GET', url, headers, headBytesMax: headBytesMax * 4, replyBytesMax } as const
    const reply = await sendBoundedRequest(request, { guard, clock, timeoutMs, signal })
    return reply.outcome === 'responded' ? { ...reply, headers: pageHeaders(reply.headers) } : reply
  }
}

function pageHeaders(headers: IncomingHttpHeaders): HttpGetResponse['headers'] {
  const { location = '', 'content-encoding': contentEncoding = '', 'content-security-policy': policy = '' } = headers
  const protecting = protectingNames.filter((name) => headers[name] !== undefined)
  return {
    location,
    contentEncoding,
    contentSecurityPolicy: String(policy),
    protecting: Object.fromEntries(protecting.map((name) => [name, String(headers[name]).slice(0, protectingLengthMax)])),
  }
}

/** Headers by which a page limits what its scripts, its frames and those that frame it may do (PCI DSS 11.6.1). */
const protectingNames = [
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'permissions-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
] as const
const protectingLengthMax = 2000
