import type { Profile } from '@tessera/contract/envelope'
import { isPublicOperation, type OperationCaller } from '@tessera/contract/operations'

import { whenDone } from '../../awaitable.ts'
import type { RequestFault } from '../reader/fault.ts'

import { isMethodInScope } from '../../domain/merchants/credentials.ts'
import type {
  Authenticator,
  AuthenticationRules,
  CallerAuthentication,
  RequestCredentials,
  CredentialCheck,
  CredentialStore,
  KnownMerchant,
} from './authenticator.ts'
import type { PasswordThrottle } from './password-throttle.ts'

export interface XAuthOptions {
  readonly credentials: CredentialStore
  readonly passwords: PasswordThrottle
  readonly origins: AllowedOrigins
}

/** Authenticates by X-Auth (docs/reference/wire.md#authentication). Reads no cookies, and serves the operations of merchants only. */
export function makeXAuthAuthenticator({ credentials, passwords, origins }: XAuthOptions): Authenticator {
  return Object.freeze<Authenticator>({
    serves: isPublicOperation,
    authenticate(needed, request) {
      const checked = needed.caller === 'nobody' ? null : passwords.authenticate(credentials, request)
      return whenDone(checked, (known) => identifyCaller(needed, request, known, origins))
    },
  })
}

/** The origins whose pages may call. In the test environment any origin is allowed; the form's own always is. */
export interface AllowedOrigins {
  readonly isAnyAllowed: boolean
  readonly formOrigin: string | null
}

/**
 * Decides whether a caller may call the operation (docs/reference/wire.md#authentication), in the order of the error table. `checked` is the result of
 * the credential check, which runs before any decision, so that every wrong X-Auth takes the same time. Null: the operation needs none.
 */
export function identifyCaller(
  needed: NeededAccess,
  request: RequestCredentials,
  checked: CredentialCheck | null,
  origins: AllowedOrigins,
): CallerAuthentication {
  if (checked === null) return anonymous
  const fault = faultOf(needed, request, checked, origins)
  if (!isKnownMerchant(checked)) return { ...anonymous, fault: fault ?? { entry: 'accessDenied' } }
  const { merchantId, bucket, kind, limits = null, referenceFields } = checked
  const identity =
    referenceFields === undefined ? { merchantId, bucket, kind, limits } : { merchantId, bucket, kind, limits, referenceFields }
  return { identity, merchantId, fault }
}

type NeededAccess = Pick<AuthenticationRules, 'name' | 'caller'>

function faultOf(
  needed: NeededAccess,
  request: RequestCredentials,
  checked: CredentialCheck,
  origins: AllowedOrigins,
): RequestFault | null {
  if (request.isFromBrowser && request.xAuth?.includes(':')) return { entry: 'credentialInBrowser' }
  if (checked.kind === 'denied') return { entry: 'accessDenied' }
  // Ids are public, so the reply may reveal that one is unknown. `invalid_id` is the original API's term.
  if (checked.kind === 'unknownMerchant') return { entry: 'merchantUnknown', data: 'invalid_id' }
  if (checked.kind === 'browser' && needsPassword(needed.caller, request.profile, checked)) return { entry: 'serverOnly' }
  const { passwordScope = null } = checked
  if (passwordScope !== null && !isMethodInScope(needed.name, passwordScope)) return { entry: 'passwordScope' }
  if (request.origin !== null && !isOriginAllowed(request.origin, checked, origins)) return { entry: 'originNotAllowed' }
  return checked.blocked ? { entry: 'merchantBlocked' } : null
}

function needsPassword(needed: OperationCaller, profile: Profile, merchant: KnownMerchant): boolean {
  if (needed === 'serverInSpec') return profile === 'spec' || merchant.strictServerAuth
  return needed === 'server'
}

function isOriginAllowed(origin: string, merchant: KnownMerchant, { isAnyAllowed, formOrigin }: AllowedOrigins): boolean {
  return isAnyAllowed || origin === formOrigin || merchant.origins.includes(origin)
}

function isKnownMerchant(checked: CredentialCheck): checked is KnownMerchant {
  return checked.kind === 'server' || checked.kind === 'browser'
}

/** The caller of an operation that needs no X-Auth. */
const anonymous: CallerAuthentication = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, kind: 'browser', limits: null }),
  merchantId: null,
  fault: null,
})
