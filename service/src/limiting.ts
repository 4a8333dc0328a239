import type { Keyring } from '@tessera/vault/keyring'

import type { Config } from './config.ts'
import { coarseFiguresOf, failureFiguresOf, fineFiguresOf, smsFiguresOf } from './limit-figures.ts'
import { makeFailureBreaker, noFailureBreaker } from './limits/failures.ts'
import { makeFineLimits, noFineLimits } from './limits/fine.ts'
import type { TellLimit } from './limits/refusing.ts'
import { makeSmsGuard, noSmsGuard } from './limits/sms-guard.ts'
import { makeCoarseLimits, noLimits } from './rpc/limits.ts'
import { makePasswordThrottle, noThrottle } from './rpc/password-throttle.ts'

/** The limits of a service: of calls and passwords for the door, of PANs and tokens for the grid. None where they are switched off. */
export function makeLimits(config: Config, { isOnByDefault, keyring, now, tell }: LimitingParts) {
  if (!(config.limits ?? isOnByDefault)) return none
  return {
    coarse: makeCoarseLimits({ now, figures: coarseFiguresOf(config) }),
    passwords: makePasswordThrottle({ now, wrongMinuteMax: config.wrongPasswordsMinuteMax }),
    fine: makeFineLimits({ keyring, now, figures: fineFiguresOf(config), tell }),
    failures: makeFailureBreaker({ now, figures: failureFiguresOf(config), tell }),
    sms: makeSmsGuard({ now, figures: smsFiguresOf(config), tell }),
  }
}

const none = Object.freeze({ coarse: noLimits, passwords: noThrottle, fine: noFineLimits, failures: noFailureBreaker, sms: noSmsGuard })

interface LimitingParts {
  /** Whether the environment limits when the settings do not say. */
  readonly isOnByDefault: boolean
  readonly keyring: Keyring
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Told when a breaker is met, in the shadow too. */
  readonly tell: TellLimit
}
