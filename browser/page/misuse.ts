import type { FormError } from '@tessera/contract/frame'

/** As the form tells it, with the address of what to do about this reason. */
export interface CardFormError extends FormError {
  readonly docs: string
}

/** The page that holds the form is to be mended: thrown at once, with the fields of an `error` event. */
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
    this.docs = docsOf(reason, origin)
  }
}

/** The origin where the form is served. Throws a `CardFormMisuse` when nothing says it, or `merchant` is no merchant id. */
export function expectOptions(
  { formOrigin, merchant }: { readonly formOrigin?: string; readonly merchant: string },
  home: string | null,
): string {
  const origin = readOrigin(formOrigin ?? home)
  if (origin === null) throw new CardFormMisuse('form_origin_missing', 'say formOrigin: this script is from elsewhere')
  if (!/^[0-9a-f]{24}$/.test(merchant)) throw new CardFormMisuse('merchant_missing', 'merchant is your id, 24 hex digits', origin)
  return origin
}

/** The element that the form is put into. Throws a `CardFormMisuse` when there is none. */
export function expectPlace(target: string | Element, origin: string): Element {
  const place = typeof target === 'string' ? document.querySelector(target) : target
  if (place === null) throw new CardFormMisuse('place_missing', `nothing is at ${JSON.stringify(target)}`, origin)
  return place
}

function readOrigin(text: string | null): string | null {
  return text !== null && /^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : null
}

/** The page of every reason, which the form's own origin serves; the words alone where no origin is known. */
export function docsOf(reason: string, origin: string): string {
  return `${origin}/form/reasons#${reason}`
}
