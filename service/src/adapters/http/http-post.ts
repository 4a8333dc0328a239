import type { IncomingHttpHeaders } from 'node:http'

import type { Clock } from '../../clock.ts'

import { isPublic, type AddressGuard } from './address-guard.ts'
import { headBytesMax, sendBoundedRequest } from './bounded-request.ts'

/** The outcome of one request to a merchant's server. */
export type HttpPostResult = HttpPostResponse | HttpPostFailure

export interface HttpPostResponse {
  readonly outcome: 'responded'
  /** HTTP status. Redirects are not followed. */
  readonly status: number
  /** The body; null when it was too long or incomplete. */
  readonly body: Uint8Array | null
  readonly headers: IncomingHttpHeaders
  /** The beginning of the body, also of one that was too long. */
  readonly start: Uint8Array
  /** Whether it came from the public internet. */
  readonly isPublic: boolean
}

export interface HttpPostFailure {
  readonly outcome: 'late' | 'unreachable' | 'forbidden_address' | 'stopped'
  /** Whether the server may have received the request: false when no connection, or no TLS connection, was established. */
  readonly mayHaveArrived?: boolean
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
  /** Bytes for a body with a card number, which its sender wipes once there is a result. */
  readonly body: string | Uint8Array
}

export type HttpPost = (request: HttpPostRequest, signal: AbortSignal) => Promise<HttpPostResult>

/** Posts a JSON body. The reply is bounded. Never throws. */
export function makeHttpPost(options: HttpPostOptions): HttpPost {
  const send = makeHttpRequest(options)
  return ({ url, headers, body }, signal) =>
    send({ method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body }, signal)
}

/** A request of any method, with the content type among its headers. */
export interface HttpRequestInput {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Bytes for a body with a card number, which its sender wipes once there is a result. */
  readonly body?: string | Uint8Array
}

export type HttpClient = (request: HttpRequestInput, signal: AbortSignal) => Promise<HttpPostResult>

/** Sends a request with or without a body. The reply is bounded. Never throws. */
export function makeHttpRequest({ guard, clock, timeoutMs, replyBytesMax }: HttpPostOptions): HttpClient {
  return async ({ method, url, headers, body }, signal) => {
    const sized = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    const request = { method, url, headers: sized, ...(body === undefined ? {} : { body }), headBytesMax, replyBytesMax }
    const reply = await sendBoundedRequest(request, { guard, clock, timeoutMs, signal })
    if (reply.outcome !== 'responded') return reply
    const { outcome, status, body: read, headers: received, start, address } = reply
    return { outcome, status, body: read, headers: received, start, isPublic: isPublic(address) }
  }
}
