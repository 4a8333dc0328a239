import type { MerchantLimits } from '../../domain/limits/merchant-limits.ts'

/**
 * Identifies the caller of an X-Auth header (docs/reference/wire.md#authentication). Implemented by domain/merchants.
 *
 * A check takes the same time whether the password is right or wrong and whether or not the merchant exists.
 */
export interface CredentialStore {
  /** `xAuth` is the trimmed value of the header; null if there is none, or more than one. */
  authenticate(xAuth: string | null): Promise<CredentialCheck>
}

export type CredentialCheck = KnownMerchant | { readonly kind: 'unknownMerchant' } | { readonly kind: 'denied' }

/** A merchant that exists: `server` sent the right password, `browser` only the id. */
export interface KnownMerchant {
  readonly kind: 'server' | 'browser'
  readonly merchantId: string
  readonly bucket: number
  readonly blocked: boolean
  /** The registered origins of its pages; exact matches only. */
  readonly origins: readonly string[]
  /** Whether cards.check and cards.remove need the password in the subscribe profile too. */
  readonly strictServerAuth: boolean
  /** Limits of this merchant that replace the settings. Default: none. */
  readonly limits?: MerchantLimits | null
  /** Account fields of kind `reference`. Default: none. */
  readonly referenceFields?: ReadonlySet<string>
}
