import { RpcError } from '@tessera/contract/errors'

import { whenDone, type Awaitable } from '../../awaitable.ts'
import { noCountSharing, type CountSharing } from '../../domain/limits/count-sharing.ts'
import { makeSlidingCounts } from '../../domain/limits/sliding-counts.ts'
import type { CredentialCheck, CredentialStore } from './authenticator.ts'

/**
 * Slows down password guessing: after too many wrong passwords in a minute for one merchant from one address, that address has to wait. Other addresses
 * do not: merchant ids are public, and a limit per merchant would let strangers lock it out.
 */
export interface PasswordThrottle {
  /** Checks the credentials. Throws `passwordLimit` after too many wrong passwords. */
  authenticate(credentials: CredentialStore, presented: PresentedCredential): Awaitable<CredentialCheck>
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
  /** Beyond this many pairs the one seen first is dropped. */
  readonly maxPairs?: number
  /** Default: no other worker counts. */
  readonly sharing?: CountSharing
}

/** Counts in this process. IPv6 addresses are counted exactly, since servers of different owners share a /64 at some hosts. */
export function makePasswordThrottle(options: PasswordThrottleOptions): PasswordThrottle {
  const { now, wrongMinuteMax, maxPairs: pairsMax = 50_000, sharing = noCountSharing } = options
  const counts = sharing.sliding('passwords', makeSlidingCounts({ now, maxSubjects: pairsMax }))
  const windows = [{ count: wrongMinuteMax, ms: 60_000 }]
  return Object.freeze({
    authenticate: (credentials: CredentialStore, shown: PresentedCredential) => {
      const { xAuth } = shown
      const pair = pairOf(shown)
      if (pair === null) return credentials.authenticate(xAuth)
      const waitMs = counts.waitMs(pair, windows)
      if (waitMs > 0) throw new RpcError('passwordLimit', { retryAfterMs: waitMs })
      return whenDone(credentials.authenticate(xAuth), (authenticated) => {
        if (authenticated.kind === 'denied') counts.count(pair, windows)
        return authenticated
      })
    },
  })
}

/** For the test environment: no limit. */
export const noPasswordThrottle: PasswordThrottle = Object.freeze({
  authenticate: (credentials: CredentialStore, { xAuth }: PresentedCredential) => credentials.authenticate(xAuth),
})

/** The pair of merchant and address; null if no password was sent. */
function pairOf({ xAuth, address, isFromBrowser }: PresentedCredential): string | null {
  if (xAuth === null || isFromBrowser || xAuth.length > maxXAuthLength) return null
  const colon = xAuth.indexOf(':')
  return colon < 0 ? null : `${xAuth.slice(0, colon).trim()} ${address}`
}

/** The same bound as in domain/merchants; a longer header is denied without a comparison. */
const maxXAuthLength = 256
