export interface TesseraOptions {
  /** Where the service is, without `/api`: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly merchantId: string
  /** Server side only: never ship it to a browser. */
  readonly password: string
  /** How long one try may take, milliseconds. Default 20,000: the service itself waits 12 s for a card network. */
  readonly timeoutMs?: number
  /** How often a call is tried again when that is safe, 0 to 10. Default 2. */
  readonly retriesMax?: number
  /** The language of `message`. Default en. */
  readonly language?: 'en' | 'ru' | 'uz'
  /** Another fetch, for proxies and tests. */
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  /**
   * Names the call for 24 hours, so that it happens once: 1 to 255 visible characters. One is made for you; give your own (an order's id and
   * the deed, say) to be safe across restarts of your process too.
   */
  readonly idempotencyKey?: string | undefined
  /** Ends the call, its tries and the pauses between them. */
  readonly signal?: AbortSignal | undefined
}

/** Options with everything decided. */
export interface ReadOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly retriesMax: number
  readonly fetch: typeof fetch
}

/** Reads the options of the library. Throws TypeError, which never repeats the password. */
export function readTesseraOptions(options: TesseraOptions): ReadOptions {
  const { merchantId, password, timeoutMs = 20_000, retriesMax = 2, language = 'en' } = options
  expect(/^[0-9a-f]{24}$/i.test(merchantId), 'merchantId is 24 hex digits, as you were issued it')
  expect(/^[\x21-\x7e]{1,255}$/.test(password), 'password is the visible ASCII text that you were issued')
  expect(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= TIMEOUT_MS_MAX, 'timeoutMs is 1 to 600,000')
  expect(Number.isInteger(retriesMax) && retriesMax >= 0 && retriesMax <= 10, 'retriesMax is 0 to 10')
  return {
    url: readUrl(options.url),
    headers: { 'content-type': 'application/json', 'x-auth': `${merchantId}:${password}`, 'accept-language': language },
    timeoutMs,
    retriesMax,
    // As a call of its own: fetch refuses to be called as a method of something else.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}

/** Reads the options of one call. Throws TypeError. */
export function readCallOptions({ idempotencyKey = null, signal = null }: OptionalCallOptions): {
  idempotencyKey: string | null
  signal: AbortSignal | null
} {
  expect(idempotencyKey === null || /^[\x21-\x7e]{1,255}$/.test(idempotencyKey), 'idempotencyKey is 1 to 255 visible ASCII characters')
  return { idempotencyKey, signal }
}

type OptionalCallOptions = { readonly [K in keyof CallOptions]: CallOptions[K] | null }

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
  expect(isPlain && !/\/api\/*$/.test(url.pathname), 'url is where the service is, without /api: http://127.0.0.1:8080')
  return url.href.replace(/\/+$/, '')
}

function expect(holds: boolean, text: string): asserts holds {
  if (!holds) throw new TypeError(text)
}

const TIMEOUT_MS_MAX = 600_000
