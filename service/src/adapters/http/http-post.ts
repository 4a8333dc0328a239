import { request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'

import type { Clock } from '../../clock.ts'

import { hostOf, type ResolvedAddress, type AddressGuard } from './address-guard.ts'
import { pinnedLookup, headBytesMax, readBoundedBody, replyInTime } from './reply.ts'

/** The outcome of one request to a merchant's server. */
export type HttpPostResult = HttpPostResponse | HttpPostFailure

export interface HttpPostResponse {
  readonly outcome: 'responded'
  /** HTTP status. Redirects are not followed. */
  readonly status: number
  /** The body; null when it was too long or incomplete. */
  readonly body: Uint8Array | null
}

export interface HttpPostFailure {
  readonly outcome: 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
}

export interface HttpPostOptions {
  readonly guard: Pick<AddressGuard, 'choose'>
  readonly clock: Clock
  /** Covers name resolution, connection and reply. */
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

export interface HttpPostRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type HttpPost = (request: HttpPostRequest, signal: AbortSignal) => Promise<HttpPostResult>

/** Posts a JSON body to an address that the guard allows, over a new connection. The reply is bounded. Never throws. */
export function makeHttpPost({ guard, clock, timeoutMs, replyBytesMax }: HttpPostOptions): HttpPost {
  return (request, signal) => replyInTime({ clock, timeoutMs, signal }, (deadline) => send(request, deadline))

  async function send(request: HttpPostRequest, signal: AbortSignal): Promise<HttpPostResult> {
    try {
      const address = await guard.choose(request.url)
      return address === null ? { outcome: 'forbidden_address' } : await sendPostRequest({ request, address, replyBytesMax }, signal)
    } catch {
      return { outcome: 'unreachable' }
    }
  }
}

interface PostExchange {
  readonly request: HttpPostRequest
  readonly address: ResolvedAddress
  readonly replyBytesMax: number
}

function sendPostRequest(
  { request: { url, headers, body }, address, replyBytesMax }: PostExchange,
  signal: AbortSignal,
): Promise<HttpPostResponse> {
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    signal,
    maxHeaderSize: headBytesMax,
    lookup: pinnedLookup(address),
    family: address.family,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn off verification and expose merchants' passwords and events.
    rejectUnauthorized: true,
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(options)
    request.on('error', reject)
    request.on('response', (reply) => {
      const status = reply.statusCode ?? 0
      void readBoundedBody(reply, replyBytesMax).then((read) => resolve({ outcome: 'responded', status, body: read }), reject)
    })
    request.end(body)
  })
}
