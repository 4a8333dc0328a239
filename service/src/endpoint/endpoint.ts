/**
 * The merchant's own server, asked by the public Payme Merchant API whether it takes a payment, and told that it was paid or given back.
 * Optional for each merchant.
 *
 * Rules: what changes anything there goes by a transaction id that is durable before, and is done once however often it is asked. An answer
 * that does not come, or is none, is `silent`: it may have been done.
 */
export interface MerchantEndpoint {
  /** Whether this merchant has one. */
  isSet(merchantId: string): Promise<boolean>
  /** Whether it would take this payment; changes nothing there (CheckPerformTransaction). */
  check(ask: EndpointPayment, signal: AbortSignal): Promise<EndpointSaid>
  /** The money is there (CreateTransaction, PerformTransaction). */
  perform(ask: EndpointTransaction, signal: AbortSignal): Promise<EndpointSaid>
  /** The money is back; agreed as well where the transaction was never seen (CancelTransaction). */
  cancel(ask: EndpointCancellation, signal: AbortSignal): Promise<EndpointSaid>
}

/** Where a merchant's endpoint is, and how it knows us. */
export interface EndpointAddress {
  readonly url: URL
  /** `Paycom` in the public API. */
  readonly login: string
  readonly password: string
}

export interface EndpointPayment {
  readonly merchantId: string
  readonly amountTiyin: number
  /** The fields of the receipt's account by name. */
  readonly account: Readonly<Record<string, string>>
}

export interface EndpointTransaction extends EndpointPayment {
  /** 24 hex: the receipt's. */
  readonly transactionId: string
  /** When the card was debited, unix milliseconds. */
  readonly at: number
  /** Whether it may have been asked for before. */
  readonly isAgain: boolean
}

export interface EndpointCancellation {
  readonly merchantId: string
  readonly transactionId: string
  readonly reason: keyof typeof cancelReasons
}

/** The reasons of the Merchant API that we give: the payment failed, or the money was given back. */
export const cancelReasons = { failed: 3, refunded: 5 } as const

/** `agreed` as well where the merchant has no endpoint (any more): nobody is there to object. */
export type EndpointSaid =
  | { readonly kind: 'agreed' }
  | { readonly kind: 'refused'; readonly error: EndpointRefusal }
  /** `why` in a word, for the audit. */
  | { readonly kind: 'silent'; readonly why: string }

/** The error object of the merchant's own server, of bounded length. */
export interface EndpointRefusal {
  readonly code: number
  readonly message: string | Readonly<Partial<Record<'ru' | 'uz' | 'en', string>>>
  readonly data?: string
}

/** For whoever has no merchant with an endpoint. */
export const noEndpoint: MerchantEndpoint = Object.freeze({
  isSet: () => Promise.resolve(false),
  check: () => Promise.resolve(agreed),
  perform: () => Promise.resolve(agreed),
  cancel: () => Promise.resolve(agreed),
})

const agreed: EndpointSaid = Object.freeze({ kind: 'agreed' })
