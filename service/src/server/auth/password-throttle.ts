import { RpcError } from '@tessera/contract/errors'

import { makeSlidingCounts } from '../../domain/limits/sliding-counts.ts'
import type { CredentialCheck, CredentialStore } from './credentials.ts'

/**
 * Slows down password guessing: after so many wrong passwords in a minute for one merchant from one address, that address has to wait. Nobody else
 * has to: a merchant's id is public, and a limit on the merchant would let a stranger lock it out.
 */
export interface PasswordThrottle {
  /** Checks the credentials, unless too many were wrong. Throws `passwordLimit`. */
  authenticate(credentials: CredentialStore, shown: PresentedCredential): Promise<CredentialCheck>
}

export interface PresentedCredential {
  readonly xAuth: string | null
  readonly address: string
  /** A browser gets the same reply whatever the password, so nothing can be guessed there. */
  readonly isFromBrowser: boolean
}

export interface PasswordThrottleOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Wrong passwords in a minute. */
  readonly wrongMinuteMax: number
  /** With more pairs the one first seen is forgotten. */
  readonly pairsMax?: number
}

/** Counts in this process. IPv6 addresses are counted exactly, since servers of different owners share a /64 at some hosts. */
export function makePasswordThrottle({ now, wrongMinuteMax, pairsMax = 50_000 }: PasswordThrottleOptions): PasswordThrottle {
  const counts = makeSlidingCounts({ now, subjectsMax: pairsMax })
  const windows = [{ count: wrongMinuteMax, ms: 60_000 }]
  return Object.freeze({
    authenticate: async (credentials: CredentialStore, shown: PresentedCredential) => {
      const { xAuth } = shown
      const pair = pairOf(shown)
      if (pair === null) return credentials.authenticate(xAuth)
      const waitMs = counts.waitMs(pair, windows)
      if (waitMs > 0) throw new RpcError('passwordLimit', { retryAfterMs: waitMs })
      const authenticated = await credentials.authenticate(xAuth)
      if (authenticated.kind === 'denied') counts.count(pair, windows)
      return authenticated
    },
  })
}

/** The test environment's: every password is compared. */
export const noPasswordThrottle: PasswordThrottle = Object.freeze({
  authenticate: (credentials: CredentialStore, { xAuth }: PresentedCredential) => credentials.authenticate(xAuth),
})

/** Null where no password is sent: the id alone is not compared with anything. */
function pairOf({ xAuth, address, isFromBrowser }: PresentedCredential): string | null {
  if (xAuth === null || isFromBrowser || xAuth.length > xAuthLengthMax) return null
  const colon = xAuth.indexOf(':')
  return colon < 0 ? null : `${xAuth.slice(0, colon).trim()} ${address}`
}

/** The same bound as in domain/merchants; a longer header is denied without a comparison. */
const xAuthLengthMax = 256
