/**
 * The merchant's own server, called by the public Payme Merchant API: whether it accepts a payment, that it was debited, that it was refunded.
 * Optional for each merchant.
 *
 * Rules: a call that changes something there has a transaction id that was stored before, and has one effect however often it is repeated.
 * No reply, or one outside the protocol, is `silent`: the call may have had its effect.
 */
export interface MerchantApi {
  /** Whether this merchant has one. */
  isSet(merchantId: string): Promise<boolean>
  /** Whether it would accept this payment; changes nothing there (CheckPerformTransaction). */
  check(ask: MerchantApiPayment, signal: AbortSignal): Promise<MerchantApiReply>
  /** The card was debited (CreateTransaction, PerformTransaction). */
  perform(ask: MerchantApiTransaction, signal: AbortSignal): Promise<MerchantApiReply>
  /** The money is back (CancelTransaction). Agreed as well when the merchant has never seen the transaction. */
  cancel(ask: MerchantApiCancellation, signal: AbortSignal): Promise<MerchantApiReply>
}

/** A merchant's endpoint and its credentials. */
export interface MerchantApiAddress {
  readonly url: URL
  /** `Paycom` in the public API. */
  readonly login: string
  readonly password: string
}

export interface MerchantApiPayment {
  readonly merchantId: string
  readonly amountTiyin: number
  /** The fields of the receipt's account by name. */
  readonly account: Readonly<Record<string, string>>
}

export interface MerchantApiTransaction extends MerchantApiPayment {
  /** The receipt's id, 24 hex digits. */
  readonly transactionId: string
  /** When the card was debited, unix milliseconds. */
  readonly at: number
  /** Whether the call may have been made before. */
  readonly isAgain: boolean
}

export interface MerchantApiCancellation {
  readonly merchantId: string
  readonly transactionId: string
  readonly reason: keyof typeof cancelReasons
}

/** Reasons of the Merchant API: the payment failed, or it was refunded. */
export const cancelReasons = { failed: 3, refunded: 5 } as const

/** `agreed` as well when the merchant has no endpoint, or no longer has one. */
export type MerchantApiReply =
  | { readonly kind: 'agreed' }
  | { readonly kind: 'refused'; readonly error: MerchantApiError }
  /** `why` is a code, for the audit. */
  | { readonly kind: 'silent'; readonly why: string }

/** The error object of the merchant's own server, of bounded length. */
export interface MerchantApiError {
  readonly code: number
  readonly message: string | Readonly<Partial<Record<'ru' | 'uz' | 'en', string>>>
  readonly data?: string
}

/** For a service without endpoints. */
export const noMerchantApi: MerchantApi = Object.freeze({
  isSet: () => Promise.resolve(false),
  check: () => Promise.resolve(agreed),
  perform: () => Promise.resolve(agreed),
  cancel: () => Promise.resolve(agreed),
})

const agreed: MerchantApiReply = Object.freeze({ kind: 'agreed' })
