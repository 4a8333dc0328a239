export interface TesseraOptions {
  /** The address of the service, without `/api`: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly merchantId: string
  /** For servers only: never send it to a browser. */
  readonly password: string
  /** Timeout of one attempt, milliseconds. Default 20,000: the service itself waits 12 s for a card network. */
  readonly timeoutMs?: number
  /** How often a call is retried when that is safe, 0 to 10. Default 2. */
  readonly retriesMax?: number
  /** The language of `message`. Default en. */
  readonly language?: 'en' | 'ru' | 'uz'
  /** Replaces `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  /**
   * Identifies the call for 24 hours, so that it is carried out once: 1 to 255 visible ASCII characters. The library generates one for each
   * call. Pass your own, built from the order's id and the operation, to be safe across restarts of your process too.
   */
  readonly idempotencyKey?: string | undefined
  /** Aborts the call, its retries and the delays between them. */
  readonly signal?: AbortSignal | undefined
}

/** Validated options with every default filled in. */
export interface ClientSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly fetch: typeof fetch
}

/** Validates the options of the library. Throws TypeError, which never contains the password. */
export function readTesseraOptions(options: TesseraOptions): ClientSettings {
  const { merchantId, password, timeoutMs = 20_000, retriesMax = 2, language = 'en' } = options
  expect(/^[0-9a-f]{24}$/i.test(merchantId), 'merchantId must be the 24 hex digits that you were issued')
  expect(/^[\x21-\x7e]{1,255}$/.test(password), 'password must be the visible ASCII text that you were issued')
  expect(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= maxTimeoutMs, 'timeoutMs must be 1 to 600,000')
  expect(Number.isInteger(retriesMax) && retriesMax >= 0 && retriesMax <= 10, 'retriesMax must be 0 to 10')
  return {
    url: readUrl(options.url),
    headers: { 'content-type': 'application/json', 'x-auth': `${merchantId}:${password}`, 'accept-language': language },
    timeoutMs,
    maxRetries: retriesMax,
    // Wrapped, because fetch throws when it is called as a method of another object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}

/** Validates the options of one call. Throws TypeError. */
export function readCallOptions({ idempotencyKey = null, signal = null }: NullableCallOptions): {
  idempotencyKey: string | null
  signal: AbortSignal | null
} {
  expect(idempotencyKey === null || /^[\x21-\x7e]{1,255}$/.test(idempotencyKey), 'idempotencyKey must be 1 to 255 visible ASCII characters')
  return { idempotencyKey, signal }
}

type NullableCallOptions = { readonly [K in keyof CallOptions]: CallOptions[K] | null }

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isBaseUrl = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
  expect(isBaseUrl && !/\/api\/*$/.test(url.pathname), 'url must be the address of the service, without /api: http://127.0.0.1:8080')
  return url.href.replace(/\/+$/, '')
}

function expect(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TypeError(message)
}

const maxTimeoutMs = 600_000
