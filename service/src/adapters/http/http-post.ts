import type { Clock } from '../../clock.ts'

import type { AddressGuard } from './address-guard.ts'
import { headBytesMax, sendBoundedRequest } from './bounded-request.ts'

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

/** Posts a JSON body. The reply is bounded. Never throws. */
export function makeHttpPost({ guard, clock, timeoutMs, replyBytesMax }: HttpPostOptions): HttpPost {
  return async ({ url, headers, body }, signal) => {
    const jsonHeaders = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = { method: 'POST', url, headers: jsonHeaders, body, headBytesMax, replyBytesMax } as const
    const reply = await sendBoundedRequest(request, { guard, clock, timeoutMs, signal })
    return reply.outcome === 'responded' ? { outcome: reply.outcome, status: reply.status, body: reply.body } : reply
  }
}
