import type { FormError } from '@tessera/contract/frame'

/** An `error` event of the form, with the address of the documentation of its reason. */
export interface CardFormError extends FormError {
  readonly docs: string
}

/** A mistake in the page that holds the form. Thrown at once, with the fields of an `error` event. */
export class CardFormMisuse extends TypeError implements CardFormError {
  override readonly name = 'CardFormMisuse'
  readonly code = 0
  readonly field = null
  readonly retryable = false
  readonly reason: 'form_origin_missing' | 'merchant_missing' | 'place_missing'
  readonly docs: string
  constructor(reason: CardFormMisuse['reason'], message: string, origin = '') {
    super(`CardForm: ${message}`)
    this.reason = reason
    this.docs = reasonDocs(reason, origin)
  }
}

/** Returns the origin that serves the form. Throws `CardFormMisuse` when it is unknown, or when `merchant` is not a merchant id. */
export function readFormOrigin(
  { formOrigin, merchant }: { readonly formOrigin?: string; readonly merchant: string },
  sdkOrigin: string | null,
): string {
  const origin = parseOrigin(formOrigin ?? sdkOrigin)
  if (origin === null) throw new CardFormMisuse('form_origin_missing', 'set formOrigin: this script is from elsewhere')
  if (!/^[0-9a-f]{24}$/.test(merchant)) throw new CardFormMisuse('merchant_missing', 'merchant is your id, 24 hex digits', origin)
  return origin
}

/** Returns the element that will contain the form. Throws `CardFormMisuse` when there is none. */
export function findMountElement(target: string | Element, origin: string): Element {
  const element = typeof target === 'string' ? document.querySelector(target) : target
  if (element === null) throw new CardFormMisuse('place_missing', `no element matches ${JSON.stringify(target)}`, origin)
  return element
}

function parseOrigin(text: string | null): string | null {
  return text !== null && /^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : null
}

/** The documentation of a reason, on the form's own origin; relative when the origin is unknown. */
export function reasonDocs(reason: string, origin: string): string {
  return `${origin}/form/reasons#${reason}`
}

/** The origin that served this script, which serves the form too. Null when the code is part of a merchant's bundle or runs on a server. */
export function findSdkOrigin(): string | null {
  return sdkOriginOf(import.meta.url) ?? sdkOriginOf(scriptAddress())
}

/** The origin of an address at which the service serves the SDK; null for any other address. */
export function sdkOriginOf(address: string | undefined): string | null {
  const [, origin = null] = /^(https?:\/\/[^/]+)\/sdk\/[^/]+\/(?:tessera\.m?js|react\.mjs)(?:[?#]|$)/.exec(address ?? '') ?? []
  return origin
}

/** The address of a classic script, which is known only while it is loaded. Without a document the code runs on a server. */
function scriptAddress(): string | undefined {
  return typeof document === 'undefined' ? undefined : (document.currentScript as HTMLScriptElement | null)?.src
}
