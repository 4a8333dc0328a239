import type { MerchantLimits } from '../../domain/limits/merchant-limits.ts'

/**
 * Finds out who calls by an X-Auth header (docs/reference/wire.md#authentication). Implemented by domain/merchants.
 *
 * A check takes the same time whether the password is right, wrong, or of a merchant that does not exist.
 */
export interface CredentialStore {
  /** `xAuth` is the header's value without the blanks around it; null when there is none, or more than one. */
  authenticate(xAuth: string | null): Promise<CredentialCheck>
}

export type CredentialCheck = KnownMerchant | { readonly kind: 'unknownMerchant' } | { readonly kind: 'denied' }

/** A merchant that exists: `server` sent its right password, `browser` the id alone. */
export interface KnownMerchant {
  readonly kind: 'server' | 'browser'
  readonly merchantId: string
  readonly bucket: number
  readonly blocked: boolean
  /** Exact origins that its pages call from; empty: none is registered. */
  readonly origins: readonly string[]
  /** Whether cards.check and cards.remove need the password in the subscribe profile too. */
  readonly strictServerAuth: boolean
  /** What was agreed with it in place of the settings; by default nothing. */
  readonly limits?: MerchantLimits | null
  /** Account fields of kind `reference`; by default none. */
  readonly referenceFields?: ReadonlySet<string>
}
