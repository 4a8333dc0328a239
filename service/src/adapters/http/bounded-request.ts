import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import type { LookupFunction } from 'node:net'

import { withTimeout, type TimeoutOptions } from '../../clock.ts'

import { hostOf, type AddressGuard, type ResolvedAddress } from './address-guard.ts'

/** One request and the bounds of its reply. */
export interface BoundedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly url: URL
  readonly headers: Readonly<Record<string, string | number>>
  /** Bytes are sent as they are; the caller may wipe them once there is a result. */
  readonly body?: string | Uint8Array
  readonly headBytesMax: number
  readonly replyBytesMax: number
}

export interface BoundedReply {
  readonly outcome: 'responded'
  /** HTTP status. Redirects are not followed. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Null when it was too long or incomplete. */
  readonly body: Uint8Array | null
  /** The beginning of the body, also of one that was too long. */
  readonly start: Uint8Array
  /** Where it came from. */
  readonly address: ResolvedAddress
}

export type BoundedRequestResult = BoundedReply | BoundedRequestFailure

/** Why there is no reply. */
export interface BoundedRequestFailure {
  readonly outcome: MissingReply['outcome'] | 'unreachable' | 'forbidden_address'
  /** Whether the server may have received the request: false when no connection, or no TLS connection, was established. */
  readonly mayHaveArrived: boolean
}

export interface BoundedRequestOptions extends TimeoutOptions {
  readonly guard: Pick<AddressGuard, 'choose'>
}

/**
 * Sends a request to an address that the guard allows, over a new connection. Name resolution, connection and reply are within the timeout, and the connection
 * within a part of it: where a host is silent, its caller learns before its own patience ends that nothing was sent. Never throws.
 */
export async function sendBoundedRequest(
  request: BoundedRequest,
  { guard, ...timeout }: BoundedRequestOptions,
): Promise<BoundedRequestResult> {
  let mayHaveArrived = false
  const onConnected = (): void => void (mayHaveArrived = true)
  const result = await replyInTime(timeout, async (deadline): Promise<BoundedReply | Pick<BoundedRequestFailure, 'outcome'>> => {
    try {
      const address = await guard.choose(request.url)
      if (address === null) return { outcome: 'forbidden_address' }
      const connectMs = Math.min(maxConnectMs, timeout.timeoutMs / 2)
      return await send(request, address, { signal: deadline, onConnected, clock: timeout.clock, connectMs })
    } catch {
      return { outcome: 'unreachable' }
    }
  })
  return result.outcome === 'responded' ? result : { outcome: result.outcome, mayHaveArrived }
}

interface SendOptions {
  readonly signal: AbortSignal
  /** Called before the first byte of the request is sent. */
  readonly onConnected: () => void
  readonly clock: TimeoutOptions['clock']
  readonly connectMs: number
}

function send(
  { method, url, headers, body, headBytesMax, replyBytesMax }: BoundedRequest,
  address: ResolvedAddress,
  { signal, onConnected, clock, connectMs }: SendOptions,
): Promise<BoundedReply> {
  const options: RequestOptions = {
    method,
    agent: false,
    signal,
    maxHeaderSize: headBytesMax,
    lookup: pinnedLookup(address),
    family: address.family,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn off verification: it would expose merchants' passwords and events, and a page
    // of an unauthenticated server proves nothing.
    rejectUnauthorized: true,
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, connection: 'close' },
  }
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const request = (isTls ? requestHttps : requestHttp)(options)
    const connecting = new AbortController()
    request.once('socket', (socket) =>
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        connecting.abort()
        onConnected()
      }),
    )
    clock.sleep(connectMs, AbortSignal.any([connecting.signal, signal])).then(
      () => request.destroy(new Error(`no connection within ${connectMs} ms`)),
      () => undefined,
    )
    request.on('error', (err) => {
      connecting.abort()
      reject(err)
    })
    request.on('response', (reply) => {
      void readBoundedBody(reply, replyBytesMax).then((read) => {
        resolve({ outcome: 'responded', status: reply.statusCode ?? 0, headers: reply.headers, ...read, address })
      }, reject)
    })
    request.end(body)
  })
}

/** Why there is no reply: the timeout passed, or the service is stopping. */
export interface MissingReply {
  readonly outcome: 'late' | 'stopped'
}

/** Makes one request, and aborts it when there is no reply in time. A reply that has arrived is used even when the service is stopping. */
async function replyInTime<T extends { readonly outcome: string }>(
  options: TimeoutOptions,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T | MissingReply> {
  const reply = await withTimeout<T | MissingReply>(options, late, request)
  return options.signal?.aborted === true && reply.outcome !== 'responded' ? stopped : reply
}

const late: MissingReply = Object.freeze({ outcome: 'late' })
const stopped: MissingReply = Object.freeze({ outcome: 'stopped' })

/** Reads a reply's body up to a limit. `body` is null when it is longer or incomplete. */
function readBoundedBody(reply: IncomingMessage, bytesMax: number): Promise<Pick<BoundedReply, 'body' | 'start'>> {
  const chunks: Buffer[] = []
  let read = 0
  return new Promise((resolve) => {
    const done = (isComplete: boolean): void => {
      const start = Uint8Array.from(Buffer.concat(chunks))
      resolve({ body: isComplete ? start : null, start })
      reply.destroy()
    }
    reply.on('data', (chunk: Buffer) => {
      read += chunk.length
      if (read > bytesMax) chunks.push(chunk.subarray(0, chunk.length - (read - bytesMax)))
      else chunks.push(chunk)
      if (read > bytesMax) done(false)
    })
    reply.once('end', () => done(reply.complete))
    reply.once('error', () => done(false)).once('close', () => done(false))
  })
}

/** A lookup function that returns the checked address, so that the name is not resolved again. */
function pinnedLookup({ address, family }: ResolvedAddress): LookupFunction {
  return (_host, options, callback) => (options.all === true ? callback(null, [{ address, family }]) : callback(null, address, family))
}

/** A host that can be reached at all takes less. */
const maxConnectMs = 5000

/** Of the head of a reply to a program; a page may have a long Content-Security-Policy. */
export const headBytesMax = 8192
