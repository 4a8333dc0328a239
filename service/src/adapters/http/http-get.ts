import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'

import type { Clock } from '../../clock.ts'

import { hostOf, type ResolvedAddress, type AddressGuard } from './address-guard.ts'
import { pinnedLookup, headBytesMax, readBoundedBody, replyInTime, type MissingReply } from './reply.ts'

/** The outcome of fetching a page. */
export type HttpGetResult = HttpGetResponse | MissingReply | { readonly outcome: 'unreachable' | 'forbidden_address' }

export interface HttpGetResponse {
  readonly outcome: 'responded'
  /** HTTP status. Redirects are not followed. */
  readonly status: number
  /** '' for a missing header; repeated headers are joined by commas. */
  readonly headers: { readonly location: string; readonly contentEncoding: string; readonly contentSecurityPolicy: string }
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

/** Fetches a page from an address that the guard allows, without cookies or credentials, over a new connection. The reply is bounded. Never throws. */
export function makeHttpGet({ guard, clock, timeoutMs, replyBytesMax }: HttpGetOptions): HttpGet {
  return (url, signal) =>
    replyInTime({ clock, timeoutMs, signal }, async (deadline): Promise<HttpGetResult> => {
      try {
        const address = await guard.choose(url)
        return address === null ? { outcome: 'forbidden_address' } : await sendGetRequest({ url, address, replyBytesMax }, deadline)
      } catch {
        return { outcome: 'unreachable' }
      }
    })
}

interface GetExchange {
  readonly url: URL
  readonly address: ResolvedAddress
  readonly replyBytesMax: number
}

function sendGetRequest({ url, address, replyBytesMax }: GetExchange, signal: AbortSignal): Promise<HttpGetResponse> {
  const options: RequestOptions = {
    method: 'GET',
    agent: false,
    signal,
    maxHeaderSize: headBytesMax * 4,
    lookup: pinnedLookup(address),
    family: address.family,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn off verification: an unauthenticated page proves nothing.
    rejectUnauthorized: true,
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'tessera-page-check', connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(options)
    request.on('error', reject)
    request.on('response', (reply) => {
      const { location = '', 'content-encoding': contentEncoding = '', 'content-security-policy': policy = '' } = reply.headers
      const headers = { location, contentEncoding, contentSecurityPolicy: String(policy) }
      void readBoundedBody(reply, replyBytesMax).then((body) => {
        resolve({ outcome: 'responded', status: reply.statusCode ?? 0, headers, body })
      }, reject)
    })
    request.end()
  })
}
