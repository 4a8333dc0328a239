import type { Profile } from '@tessera/contract/envelope'
import type { Caller } from '@tessera/contract/methods'

import type { CallerIdentity } from '../methods/method.ts'
import type { Authentic, Authenticated } from './credentials.ts'
import type { Fault } from './fault.ts'

/** What of a request says who is calling. */
export interface Claim {
  /** The X-Auth header; null when there is none, or more than one. */
  readonly xAuth: string | null
  /** The Origin header. */
  readonly origin: string | null
  /** Whether a browser sent it, by its own word: Origin or Sec-Fetch-Site is there. */
  readonly isFromBrowser: boolean
  readonly profile: Profile
}

/** From where pages may call. In the test environment any origin is welcome; the form's own always is. */
export interface OriginRule {
  readonly isAnyWelcome: boolean
  readonly formOrigin: string | null
}

/** `merchantId` is known, for the log, also when the caller is refused after it has shown who it is. */
export interface Identified {
  readonly identity: CallerIdentity
  readonly merchantId: string | null
  readonly fault: Fault | null
}

/**
 * Tells who calls and whether this one may call methods of this class (wire §4), in the order of the error table. `shown` is what the
 * credentials said: they are asked before anything is decided, so every wrong X-Auth takes the same time. Null: they did not have to be.
 */
export function identify(needed: Caller | 'dashboard', claim: Claim, shown: Authenticated | null, origins: OriginRule): Identified {
  if (shown === null) return unasked
  const fault = faultOf(needed, claim, shown, origins)
  if (!isAuthentic(shown)) return { ...unasked, fault: fault ?? { entry: 'accessDenied' } }
  const { merchantId, bucket, kind, limits = null } = shown
  return { identity: { merchantId, bucket, as: kind, limits }, merchantId, fault }
}

function faultOf(needed: Caller | 'dashboard', claim: Claim, shown: Authenticated, origins: OriginRule): Fault | null {
  if (claim.isFromBrowser && claim.xAuth?.includes(':')) return { entry: 'credentialInBrowser' }
  if (shown.kind === 'denied') return { entry: 'accessDenied' }
  // Ids are public, so an unknown one may be told (the vendor's word for it).
  if (shown.kind === 'unknownMerchant') return { entry: 'merchantUnknown', data: 'invalid_id' }
  if (shown.kind === 'browser' && needsPassword(needed, claim.profile, shown)) return { entry: 'serverOnly' }
  if (claim.origin !== null && !isWelcome(claim.origin, shown, origins)) return { entry: 'originNotAllowed' }
  return shown.blocked ? { entry: 'merchantBlocked' } : null
}

function needsPassword(needed: Caller | 'dashboard', profile: Profile, merchant: Authentic): boolean {
  if (needed === 'serverInSpec') return profile === 'spec' || merchant.strictServerAuth
  return needed === 'server'
}

function isWelcome(origin: string, merchant: Authentic, { isAnyWelcome, formOrigin }: OriginRule): boolean {
  return isAnyWelcome || origin === formOrigin || merchant.origins.includes(origin)
}

function isAuthentic(shown: Authenticated): shown is Authentic {
  return shown.kind === 'server' || shown.kind === 'browser'
}

/** Who calls a method that needs no X-Auth. */
const unasked: Identified = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, as: 'browser', limits: null }),
  merchantId: null,
  fault: null,
})
