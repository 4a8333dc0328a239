import type { IncomingMessage } from 'node:http'

import type { ProblemName } from './problem.ts'
import type { ApiTarget, HttpRequest, IdempotencyHeader } from './request.ts'

/**
 * The headers that the API reads, from node's raw list in one pass; node's parsed object is never built. Repeated headers are counted where a proxy in
 * front of this server might read another one of them.
 */
export class RequestHeaders {
  count = 0
  hosts = 0
  host: string | null = null
  contentLengths = 0
  contentLength = 0
  transferEncoding: string | null = null
  transferEncodings = 0
  xAuths = 0
  #xAuth = ''
  origin: string | null = null
  isFromBrowser = false
  idempotencyKeys = 0
  #idempotencyKey = ''
  acceptLanguage: string | undefined
  isGzipAccepted = false
  isPreflight = false
  traceparents = 0
  #traceparent = ''

  constructor(raw: readonly string[]) {
    this.count = raw.length / 2
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] ?? ''
      if (name.length < 4 || !lengths.has(name.length)) continue
      this.#readHeader(name.toLowerCase(), raw[i + 1] ?? '')
    }
  }

  /** Trimmed; null if there is none, or more than one. */
  get xAuth(): string | null {
    return this.xAuths === 1 ? trimBlanks(this.#xAuth) : null
  }

  /** 1 to 255 visible ASCII characters; null if there is none. */
  get idempotencyKey(): IdempotencyHeader {
    if (this.idempotencyKeys === 0) return null
    return this.idempotencyKeys === 1 && /^[!-~]{1,255}$/.test(this.#idempotencyKey) ? { key: this.#idempotencyKey } : 'invalid'
  }

  /** As it was sent; undefined if there is none, or more than one. */
  get traceparent(): string | undefined {
    return this.traceparents === 1 ? this.#traceparent : undefined
  }

  get hasBody(): boolean {
    return this.contentLength > 0 || this.transferEncodings > 0
  }

  #readHeader(name: string, value: string): void {
    switch (name) {
      case 'host':
        this.hosts++
        this.host = value
        break
      case 'content-length':
        this.contentLengths++
        this.contentLength = Number(value)
        break
      case 'transfer-encoding':
        this.transferEncodings++
        this.transferEncoding = value
        break
      case 'x-auth':
        this.xAuths++
        this.#xAuth = value
        break
      case 'origin':
        this.origin = value
        this.isFromBrowser = true
        break
      case 'sec-fetch-site':
        this.isFromBrowser = true
        break
      case 'idempotency-key':
        this.idempotencyKeys++
        this.#idempotencyKey = value
        break
      case 'accept-language':
        this.acceptLanguage = value
        break
      case 'accept-encoding':
        this.isGzipAccepted = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(value)
        break
      case 'access-control-request-method':
        this.isPreflight = true
        break
      case 'traceparent':
        this.traceparents++
        this.#traceparent = value
        break
    }
  }
}

/** What an HTTP request is made of once its body has arrived. */
export interface ArrivedRequest {
  readonly headers: RequestHeaders
  readonly target: ApiTarget
  readonly refusal: HttpRequest['refusal']
  readonly body: Buffer
  readonly address: string
  readonly headReadAt: number | undefined
  readonly holdReply: (bytes: number) => boolean
}

export function toHttpRequest({ headers, target, refusal, body, address, headReadAt, holdReply }: ArrivedRequest): HttpRequest {
  const { origin, isFromBrowser, idempotencyKey, acceptLanguage, xAuth, traceparent } = headers
  const { segment, hasQuery } = target
  return {
    refusal,
    segment,
    hasQuery,
    body,
    xAuth,
    origin,
    isFromBrowser,
    idempotencyKey,
    acceptLanguage,
    address,
    headReadAt,
    holdReply,
    traceparent,
  }
}

function trimBlanks(value: string): string {
  return isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1)) ? value.replace(/^[ \t]+|[ \t]+$/g, '') : value
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}

const lengths: ReadonlySet<number> = new Set(
  [
    'host',
    'content-length',
    'transfer-encoding',
    'x-auth',
    'origin',
    'sec-fetch-site',
    'idempotency-key',
    'accept-language',
    'accept-encoding',
    'access-control-request-method',
    'traceparent',
  ].map((name) => name.length),
)

/**
 * Finds what node accepts and this server refuses, because a proxy in front of it might read a different request (RFC 9112 §3.2, §6.1, §11.2). Null if
 * there is no fault. What node's parser rejects never gets here.
 */
export function findProtocolFault(req: IncomingMessage, headers: RequestHeaders): ProblemName | null {
  const isVersion11 = req.httpVersionMajor === 1 && req.httpVersionMinor === 1
  if (!isVersion11 && !(req.httpVersionMajor === 1 && req.httpVersionMinor === 0)) return 'invalidHttp'
  if (headers.count > maxHeaders) return 'headersTooLarge'
  if (headers.hosts > 1) return 'hostTwice'
  if (headers.hosts === 0 && isVersion11) return 'hostMissing'
  if (!req.url?.startsWith('/')) return 'targetForm'
  if (isFramedTwice(headers) || (headers.transferEncodings > 0 && !isVersion11)) return 'framing'
  if (headers.hasBody && bodyless.has(req.method)) return 'bodyNotExpected'
  return null
}

function isFramedTwice({ transferEncoding, transferEncodings, contentLengths }: RequestHeaders): boolean {
  if (transferEncodings + contentLengths > 1) return true
  return transferEncoding !== null && transferEncoding.toLowerCase() !== 'chunked'
}

const bodyless: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
const maxHeaders = 256
