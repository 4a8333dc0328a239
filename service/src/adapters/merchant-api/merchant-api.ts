/**
 * The merchant's own server, called by the public Payme Merchant API before a payment and after a debit or a refund. Optional for each merchant.
 *
 * Rules: the transaction id of a call that changes something is stored before the call, so that a repeated call has one effect. No reply, or one
 * outside the protocol, is `silent`: the call may have had its effect.
 */
export interface MerchantApi {
  /** Whether the merchant has an endpoint. */
  hasEndpoint(merchantId: string): Promise<boolean>
  /** Whether the merchant would accept the payment; changes nothing there (CheckPerformTransaction). */
  check(payment: MerchantApiPayment, signal: AbortSignal): Promise<MerchantApiReply>
  /** Notifies that the card was debited (CreateTransaction, PerformTransaction). */
  perform(transaction: MerchantApiTransaction, signal: AbortSignal): Promise<MerchantApiReply>
  /** Notifies that the money was returned (CancelTransaction). Also agreed when the merchant does not know the transaction. */
  cancel(cancellation: MerchantApiCancellation, signal: AbortSignal): Promise<MerchantApiReply>
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
  readonly isRetry: boolean
}

export interface MerchantApiCancellation {
  readonly merchantId: string
  readonly transactionId: string
  readonly reason: keyof typeof cancelReasons
}

/** Reasons of the Merchant API: the payment failed, or it was refunded. */
export const cancelReasons = { failed: 3, refunded: 5 } as const

/** Also `agreed` when the merchant has no endpoint, or no longer has one. */
export type MerchantApiReply =
  | { readonly kind: 'agreed' }
  | { readonly kind: 'refused'; readonly error: MerchantApiError }
  /** `reason` is a code for the audit. */
  | { readonly kind: 'silent'; readonly reason: string }

/** The error object of the merchant's own server, of bounded length. */
export interface MerchantApiError {
  readonly code: number
  readonly message: string | Readonly<Partial<Record<'ru' | 'uz' | 'en', string>>>
  readonly data?: string
}

/** Used where no merchant has an endpoint. */
export const noMerchantApi: MerchantApi = Object.freeze({
  hasEndpoint: () => Promise.resolve(false),
  check: () => Promise.resolve(agreed),
  perform: () => Promise.resolve(agreed),
  cancel: () => Promise.resolve(agreed),
})

const agreed: MerchantApiReply = Object.freeze({ kind: 'agreed' })
