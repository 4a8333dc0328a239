import { RpcError } from '@tessera/contract/errors'

import { makeSlidingCounts } from '../limits/sliding-counts.ts'
import type { Authenticated, Credentials } from './credentials.ts'

/**
 * Slows down whoever tries passwords: so many wrong ones a minute of one merchant from one address, then that address waits. Nobody else
 * does: a merchant's id is public, and a limit on the merchant would let a stranger lock it out.
 */
export interface PasswordThrottle {
  /** Asks the credentials, unless too many were wrong. Throws `passwordLimit`. */
  authenticate(credentials: Credentials, shown: ShownCredential): Promise<Authenticated>
}

export interface ShownCredential {
  readonly xAuth: string | null
  readonly address: string
  /** A browser is answered alike whatever the password, so nothing can be guessed there. */
  readonly isFromBrowser: boolean
}

export interface PasswordThrottleParts {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Wrong passwords in a minute. */
  readonly wrongMinuteMax: number
  /** Beyond it the pair that was first seen is forgotten. */
  readonly pairsMax?: number
}

/** Counted in this process. The exact address counts, of IPv6 too: servers of strangers share a /64 at some hosts. */
export function makePasswordThrottle({ now, wrongMinuteMax, pairsMax = 50_000 }: PasswordThrottleParts): PasswordThrottle {
  const counts = makeSlidingCounts({ now, subjectsMax: pairsMax })
  const windows = [{ count: wrongMinuteMax, ms: 60_000 }]
  return Object.freeze({
    authenticate: async (credentials: Credentials, shown: ShownCredential) => {
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
export const noThrottle: PasswordThrottle = Object.freeze({
  authenticate: (credentials: Credentials, { xAuth }: ShownCredential) => credentials.authenticate(xAuth),
})

/** Null where no password is tried: the id alone proves nothing, and is not compared with anything. */
function pairOf({ xAuth, address, isFromBrowser }: ShownCredential): string | null {
  if (xAuth === null || isFromBrowser || xAuth.length > xAuthLengthMax) return null
  const colon = xAuth.indexOf(':')
  return colon < 0 ? null : `${xAuth.slice(0, colon).trim()} ${address}`
}

/** The same as merchants take; a longer one is denied without a comparison. */
const xAuthLengthMax = 256
