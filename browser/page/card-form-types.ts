import type { CardBrand, FormCard, FormError, FormField, FormStep, FormWarning, FrameOptions } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'

import type { CardFormReason } from './card-form-reason.ts'

export type { CardFormReason } from './card-form-reason.ts'

export interface CardFormOptions extends CardFormUpdate {
  /** Your public merchant id. */
  readonly merchant: string
  /** The origin that serves the form. Default: the origin that this script was loaded from. */
  readonly formOrigin?: string | undefined
}

/** The options that can be changed while the form is mounted. */
export interface CardFormUpdate extends OptionalValues<Omit<FrameOptions, 'locale'>> {
  readonly locale?: CardFormLocale | undefined
}

type OptionalValues<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined }

/** `uz`, `ru` or `en`, also as the beginning of a tag (BCP 47). `auto`: the language of the page, or else of the browser. */
export type CardFormLocale = Language | 'auto' | `${Language}-${string}`

/** The outcome of `submit()` and `verify()`. */
export type CardFormResult =
  /** The card was accepted, and the form asks for the code of the SMS. */
  | { readonly status: 'code' }
  /** The card is confirmed. */
  | { readonly status: 'done'; readonly token: string; readonly card: FormCard }
  /** A saved card of the session was picked: the id that your server gave. */
  | { readonly status: 'picked'; readonly id: string }
  /** The form shows what is wrong. */
  | { readonly status: 'error'; readonly error: CardFormError }
  /** Abandoned by `clear()`, `back()` or `unmount()`, or by the cardholder, who takes another card. */
  | { readonly status: 'cancelled' }
  /** Nothing was sent: the form is not ready, at another step, or was requesting a new code or removing a saved card. */
  | { readonly status: 'ignored' }

/** The value that listeners receive, by event. */
export interface CardFormEvents {
  ready: undefined
  change: CardFormChange
  step: FormStep
  /** Whether a call to the service is running. */
  busy: boolean
  /** The field that has received the focus. */
  focus: FormField
  /** The field that has lost it. */
  blur: FormField
  token: { readonly token: string; readonly card: FormCard }
  error: CardFormError
  warning: CardFormWarning
  /** Milliseconds until another code may be requested. */
  wait: number
  /** The cardholder picked a saved card of the session: its id. */
  pick: string
  /** The cardholder asks to remove a saved card of the session: its id, for cards.remove on your server. */
  remove: string
  seen: 'visible' | 'hidden' | 'unverified'
}

/** The state of the fields of the current step. */
export interface CardFormChange {
  readonly type: 'change'
  /** Known from the fourth digit on. */
  readonly brand: CardBrand | null
  /** Each of the fields can be sent. */
  readonly complete: boolean
  /** All of the fields are empty. */
  readonly empty: boolean
  /** The first of `errors`. */
  readonly error: CardFormReason | null
  readonly errors: Readonly<Partial<Record<FormField, CardFormReason>>>
}

/** An `error` event of the form, with the address of the documentation of its reason. */
export interface CardFormError extends FormError {
  readonly reason: CardFormReason
  readonly docs: string
}

/** A warning about the appearance, for the developer of the page. The form works all the same. */
export interface CardFormWarning extends FormWarning {
  readonly docs: string
}
