import type { IncomingMessage } from 'node:http'

import type { ProblemName } from './problem.ts'
import type { IdempotencyHeader } from './request.ts'

/**
 * The headers that the API reads, from node's raw list in one pass; node's own parsed object is never built. Repeated headers are distinguished from
 * single ones where a proxy before us might read the other one.
 */
export class RequestHeaders {
  count = 0
  hosts = 0
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
  isPreflight = false

  constructor(raw: readonly string[]) {
    this.count = raw.length / 2
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] ?? ''
      if (name.length < 4 || !lengths.has(name.length)) continue
      this.#take(name.toLowerCase(), raw[i + 1] ?? '')
    }
  }

  /** Without the blanks around it; null when there is none, or more than one. */
  get xAuth(): string | null {
    return this.xAuths === 1 ? withoutBlanks(this.#xAuth) : null
  }

  /** 1 to 255 visible characters, once; null when there is none. */
  get idempotencyKey(): IdempotencyHeader {
    if (this.idempotencyKeys === 0) return null
    return this.idempotencyKeys === 1 && /^[!-~]{1,255}$/.test(this.#idempotencyKey) ? { key: this.#idempotencyKey } : 'invalid'
  }

  get hasBody(): boolean {
    return this.contentLength > 0 || this.transferEncodings > 0
  }

  #take(name: string, value: string): void {
    switch (name) {
      case 'host':
        this.hosts++
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
      case 'access-control-request-method':
        this.isPreflight = true
        break
    }
  }
}

function withoutBlanks(value: string): string {
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
    'access-control-request-method',
  ].map((name) => name.length),
)

/**
 * Finds what node accepts and we refuse, because a proxy before us could read a different request than we do (RFC 9112 §3.2, §6.1, §11.2); null when
 * there is nothing. What node's parser refuses by itself never comes here.
 */
export function findProtocolFault(req: IncomingMessage, headers: RequestHeaders): ProblemName | null {
  const isVersion11 = req.httpVersionMajor === 1 && req.httpVersionMinor === 1
  if (!isVersion11 && !(req.httpVersionMajor === 1 && req.httpVersionMinor === 0)) return 'invalidHttp'
  if (headers.count > headersMax) return 'headersTooLarge'
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
const headersMax = 256
