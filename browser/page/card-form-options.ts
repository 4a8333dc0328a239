import type { CardFormError, CardFormLocale, CardFormReason } from './card-form-types.ts'

/** A mistake in the page that holds the form. Thrown at once, with the fields of an `error` event. */
export class CardFormMisuse extends TypeError implements CardFormError {
  declare readonly name: 'CardFormMisuse'
  declare readonly code: 0
  declare readonly field: null
  declare readonly retryable: false
  declare readonly reason: 'form_origin_missing' | 'merchant_missing' | 'place_missing'
  declare readonly docs: string
  constructor(reason: CardFormMisuse['reason'], message: string, origin = '') {
    super(`CardForm: ${message}`)
    Object.assign(this, { name: 'CardFormMisuse', ...describePageError(reason, origin) })
  }
}

/** An error of the page, which the service knows nothing of. */
export function describePageError(reason: CardFormReason, origin: string): Omit<CardFormError, 'message'> {
  return { code: 0, reason, field: null, retryable: false, docs: reasonDocs(reason, origin) }
}

/** Returns the origin that serves the form. Throws `CardFormMisuse` when it is unknown, or when `merchant` is not a merchant id. */
export function readFormOrigin(
  { formOrigin, merchant }: { readonly formOrigin?: string | undefined; readonly merchant: string },
  sdkOrigin: string | null,
): string {
  const origin = parseOrigin(formOrigin ?? sdkOrigin ?? '')
  if (!origin) throw new CardFormMisuse('form_origin_missing', 'set formOrigin')
  if (!/^[0-9a-f]{24}$/.test(merchant)) throw new CardFormMisuse('merchant_missing', 'merchant is 24 hex digits', origin)
  return origin
}

/** Returns the element that will contain the form. Throws `CardFormMisuse` when there is none. */
export function findMountElement(target: string | Element, origin: string): Element {
  const element = typeof target === 'string' ? document.querySelector(target) : target
  if (!element) throw new CardFormMisuse('place_missing', `no element matches ${JSON.stringify(target)}`, origin)
  return element
}

/** The language of the form, as the first two letters of a tag (BCP 47). The form reports one that it does not have. */
export function readLocale(locale: CardFormLocale = 'uz'): string {
  const tag =
    locale === 'auto' ? [document.documentElement.lang, ...navigator.languages, 'uz'].find((name) => /^(uz|ru|en)/i.test(name)) : locale
  return String(tag).slice(0, 2).toLowerCase()
}

function parseOrigin(text: string): string | null {
  return /^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : null
}

/**
 * Merges objects into objects, member by member; any other value replaces what was there. The objects of the result are copies: proxies of Vue and
 * Svelte could not be sent to the frame.
 */
export function mergeOptions<Options extends object | undefined>(options: Options, changes: object): Options {
  const merged: Record<string, unknown> = { ...options }
  for (const [name, value] of Object.entries(changes))
    merged[name] = Object(value) === value ? mergeOptions(merged[name] as object | undefined, value as object) : value
  return merged as Options
}

/** The documentation of a reason, on the form's own origin; relative when the origin is unknown. */
export function reasonDocs(reason: string, origin: string): string {
  return `${origin}/form/reasons#${reason}`
}

/** The origin that served this script, which serves the form too. Null when the code is part of a merchant's bundle or runs on a server. */
export function findSdkOrigin(): string | null {
  // A classic script has no import.meta, and knows its address only while it is loaded. Without a document the code runs on a server.
  const moduleUrl = import.meta.url as string | undefined
  const { document: page } = globalThis as { readonly document?: { readonly currentScript: { readonly src?: string } | null } }
  return sdkOriginOf(moduleUrl ?? page?.currentScript?.src)
}

/** The origin of an address at which the service serves the SDK; null for any other address. */
export function sdkOriginOf(address: string | undefined): string | null {
  const [, origin = null] = /^(https?:\/\/[^/]+)\/sdk\/[^/]+\/(tessera|react)\.m?js($|[?#])/.exec(address ?? '') ?? []
  return origin
}
