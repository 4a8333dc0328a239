import type { Keyring } from '@tessera/vault/keyring'

import type { Config } from './config.ts'
import { coarseFiguresOf, fineFiguresOf } from './limit-figures.ts'
import { makeFineLimits, noFineLimits } from './limits/fine.ts'
import { makeCoarseLimits, noLimits } from './rpc/limits.ts'
import { makePasswordThrottle, noThrottle } from './rpc/password-throttle.ts'

/** The limits of a service: of calls and passwords for the door, of PANs and tokens for the grid. None where they are switched off. */
export function makeLimits(config: Config, { isOnByDefault, keyring, now }: LimitingParts) {
  if (!(config.limits ?? isOnByDefault)) return { coarse: noLimits, passwords: noThrottle, fine: noFineLimits }
  return {
    coarse: makeCoarseLimits({ now, figures: coarseFiguresOf(config) }),
    passwords: makePasswordThrottle({ now, wrongMinuteMax: config.wrongPasswordsMinuteMax }),
    fine: makeFineLimits({ keyring, now, figures: fineFiguresOf(config) }),
  }
}

interface LimitingParts {
  /** Whether the environment limits when the settings do not say. */
  readonly isOnByDefault: boolean
  readonly keyring: Keyring
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
}
