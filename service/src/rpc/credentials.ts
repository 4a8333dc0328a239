import type { MerchantLimits } from '../limits/merchant-limits.ts'

/**
 * Who is calling: the question that the door asks about an X-Auth header (wire §4). Kept by the merchants; wired in `main.ts`.
 *
 * An answer about a password takes one length of time, whether the password is right, wrong, or of a merchant that does not exist.
 */
export interface Credentials {
  /** `xAuth` is the header's value without the blanks around it; null when there is none, or more than one. */
  authenticate(xAuth: string | null): Promise<Authenticated>
}

export type Authenticated = Authentic | { readonly kind: 'unknownMerchant' } | { readonly kind: 'denied' }

/** A merchant that exists: `server` gave its right password, `browser` the id alone. */
export interface Authentic {
  readonly kind: 'server' | 'browser'
  readonly merchantId: string
  readonly bucket: number
  readonly blocked: boolean
  /** Exact origins that its pages call from; empty: none is registered. */
  readonly origins: readonly string[]
  /** Whether cards.check and cards.remove need the password in the subscribe profile too. */
  readonly strictServerAuth: boolean
  /** What was agreed with it in place of the settings; nothing where it is left out. */
  readonly limits?: MerchantLimits | null
}
