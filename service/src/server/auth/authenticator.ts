import type { Profile } from '@tessera/contract/envelope'
import type { OperationName } from '@tessera/contract/operations'

import type { Awaitable } from '../../awaitable.ts'
import type { CallerIdentity, DashboardBrowser } from '../../domain/request-context.ts'
import type { OperationRules } from '../../operations/operation.ts'
import type { RequestFault } from '../reader/fault.ts'
import type { MerchantLimits } from '../../domain/merchants/settings.ts'
import type { PasswordScope } from '../../domain/merchants/credentials.ts'

/** Decides who may call what at one endpoint: the API's by X-Auth, the dashboard's by a session. */
export interface Authenticator {
  /** Whether an operation is served at this endpoint. Otherwise it is an unknown method here. */
  serves(method: OperationName): boolean
  /** Identifies the caller. If it may not call this operation, the reason is thrown or returned as a fault. */
  authenticate(operation: AuthenticationRules, request: AuthenticationRequest): Awaitable<CallerAuthentication>
}

/** The part of a contract that decides who may call the operation. */
export type AuthenticationRules = Pick<OperationRules, 'name' | 'caller' | 'role' | 'confirmation'>

/** The part of a request that identifies its caller. */
export interface RequestCredentials {
  /** The X-Auth header; null if there is none, or more than one. */
  readonly xAuth: string | null
  /** The Origin header. */
  readonly origin: string | null
  /** Whether a browser sent it: Origin or Sec-Fetch-Site is present. */
  readonly isFromBrowser: boolean
  readonly profile: Profile
}

export interface AuthenticationRequest extends RequestCredentials {
  /** The client's address. */
  readonly address: string
  /** At the dashboard's endpoint only. */
  readonly browser: DashboardBrowser | undefined
}

/** `merchantId` is for the log: it is known also if the caller was identified and then refused. */
export interface CallerAuthentication {
  readonly identity: CallerIdentity
  readonly merchantId: string | null
  readonly fault: RequestFault | null
}

/**
 * Identifies the caller of an X-Auth header (docs/reference/wire.md#authentication). Implemented by domain/merchants.
 *
 * A check takes the same time whether the password is right or wrong and whether or not the merchant exists.
 */
export interface CredentialStore {
  /** `xAuth` is the trimmed value of the header; null if there is none, or more than one. */
  authenticate(xAuth: string | null): Awaitable<CredentialCheck>
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
  /** Of the password that was sent; null without one. Default: null. */
  readonly passwordScope?: PasswordScope | null
}
