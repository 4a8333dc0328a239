import type { Keyring } from '@tessera/vault/keyring'

import type { Config } from '../config/config.ts'
import { coarseFiguresOf, failureFiguresOf, fineFiguresOf, smsFiguresOf } from './limit-figures.ts'
import { makeFailureBreaker, noFailureBreaker } from '../limits/failures.ts'
import { makeFineLimits, noFineLimits } from '../limits/fine.ts'
import type { TellLimit } from '../limits/refusing.ts'
import { makeSmsGuard, noSmsGuard } from '../limits/sms-guard.ts'
import { makeCoarseLimits, noLimits } from '../rpc/limits.ts'
import { makeRehearsedLimits, type LimitRehearsal, type LimitSet } from './rehearsing.ts'
import { makePasswordThrottle, noThrottle } from '../rpc/password-throttle.ts'

/**
 * The limits of a service: of calls and passwords for the door, of PANs and tokens for the grid. None where they are switched off; there, in
 * the test environment, each merchant may rehearse them by itself.
 */
export function makeLimits(config: Config, parts: LimitingParts): LimitSet & { readonly rehearsal: LimitRehearsal | null } {
  if (config.limits ?? parts.isOnByDefault) return { ...makeSet(config, parts), rehearsal: null }
  if (!parts.isRehearsed) return { ...none, rehearsal: null }
  const { limits, rehearsal } = makeRehearsedLimits(
    () => makeSet(config, { ...parts, now: parts.rehearsedNow }, rehearsedSubjectsMax),
    none,
  )
  return { ...limits, rehearsal }
}

function makeSet(config: Config, { keyring, now, tell }: LimitingParts, subjectsMax?: number): LimitSet {
  const bound = subjectsMax === undefined ? {} : { subjectsMax }
  return {
    coarse: makeCoarseLimits({ now, figures: coarseFiguresOf(config), ...bound }),
    passwords: makePasswordThrottle({ now, wrongMinuteMax: config.wrongPasswordsMinuteMax }),
    fine: makeFineLimits({ keyring, now, figures: fineFiguresOf(config), tell, ...bound }),
    failures: makeFailureBreaker({ now, figures: failureFiguresOf(config), tell }),
    sms: makeSmsGuard({ now, figures: smsFiguresOf(config), tell }),
  }
}

/** One merchant's rehearsal is no flood. */
const rehearsedSubjectsMax = 2000

const none: LimitSet = Object.freeze({
  coarse: noLimits,
  passwords: noThrottle,
  fine: noFineLimits,
  failures: noFailureBreaker,
  sms: noSmsGuard,
})

interface LimitingParts {
  /** Whether the environment limits when the settings do not say. */
  readonly isOnByDefault: boolean
  /** Whether a merchant may rehearse them where they are off. */
  readonly isRehearsed: boolean
  readonly keyring: Keyring
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** The same, moved with the time of the sandbox. */
  readonly rehearsedNow: () => number
  /** Told when a breaker is met, in the shadow too. */
  readonly tell: TellLimit
}

/** Under which word a merchant's caps in the store are counted while it rehearses them: of this rehearsal alone. */
export function rehearsedCapsOf(rehearsal: LimitRehearsal | null): (merchantId: string) => string | null {
  return (merchantId) => {
    const since = rehearsal?.sinceOf(merchantId) ?? null
    return since === null ? null : `${merchantId} ${String(since)}`
  }
}
