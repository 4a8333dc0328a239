import type { Keyring } from '@tessera/vault/keyring'

import { noCountSharing, type CountSharing } from '../domain/limits/count-sharing.ts'
import { makeFailureBreaker, noFailureBreaker, type FailureBreaker } from '../domain/limits/failure-breaker.ts'
import { makeFineLimits, noFineLimits, type CardSource, type FineLimits } from '../domain/limits/fine-limits.ts'
import type { LimitObserver } from '../domain/limits/limit-mode.ts'
import { failureBreakerSettings, fineLimitSettings, smsGuardSettings } from '../domain/limits/settings.ts'
import { makeSmsGuard, noSmsGuard, type GuardedSms, type SmsGuard } from '../domain/limits/sms-guard.ts'
import type { Config } from '../ops/config/config.ts'
import type { CredentialStore } from '../server/auth/authenticator.ts'
import {
  makePasswordThrottle,
  noPasswordThrottle,
  type PasswordThrottle,
  type PresentedCredential,
} from '../server/auth/password-throttle.ts'
import {
  coarseLimitSettings,
  makeCoarseLimits,
  noCoarseLimits,
  type CoarseLimits,
  type RateLimitedCall,
} from '../server/rate-limits/coarse-limits.ts'

/** The limits of a service, or of one merchant that simulates them. */
export interface LimitSet {
  readonly coarse: CoarseLimits
  readonly passwords: PasswordThrottle
  readonly fine: FineLimits
  readonly failures: FailureBreaker
  readonly sms: SmsGuard
}

/** The merchants of the sandbox that simulate the limits. Each has counts of its own, so that no other merchant is affected. */
export interface LimitSimulation {
  /** Since when, unix milliseconds. Null: it does not. */
  sinceOf(merchantId: string): number | null
  /** False if too many merchants simulate limits already. All counts start at zero, also if it was simulating before. */
  begin(merchantId: string, since: number): boolean
  end(merchantId: string): void
}

export interface LimitDependencies {
  /** The environment's default for limits. */
  readonly isOnByDefault: boolean
  /** Whether a merchant may simulate limits where they are off. */
  readonly canSimulate: boolean
  readonly keyring: Keyring
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** The same clock, moved with the time of the sandbox. */
  readonly simulatedNow: () => number
  /** Called when a limit is reached, in shadow mode too. */
  readonly onReached: LimitObserver
  /** Called when a merchant begins to simulate limits, or with null ends it. Default: nobody needs to know. */
  readonly onSimulated?: (merchantId: string, since: number | null) => void
  /** Shares the counts with other workers. Default: there are none. */
  readonly sharing?: CountSharing
}

/** All limits of a service. They may be switched off; in the test environment each merchant may simulate them. */
export function createLimits(config: Config, deps: LimitDependencies): LimitSet & { readonly simulation: LimitSimulation | null } {
  const { sharing = noCountSharing } = deps
  if (config.limits ?? deps.isOnByDefault) return { ...createLimitSet(config, deps, { sharing }), simulation: null }
  if (!deps.canSimulate) return { ...noLimitSet, simulation: null }
  const simulated = { ...deps, now: deps.simulatedNow }
  const createSet = (merchantId: string): LimitSet =>
    createLimitSet(config, simulated, { sharing: shareUnder(merchantId, sharing), maxSubjects: maxSimulatedSubjects })
  const { limits, simulation } = createSimulatedLimits(createSet, noLimitSet, deps.onSimulated)
  return { ...limits, simulation }
}

function createLimitSet(
  config: Config,
  { keyring, now, onReached: onLimitReached }: LimitDependencies,
  shared: { readonly sharing: CountSharing; readonly maxSubjects?: number },
): LimitSet {
  const { sharing } = shared
  return {
    coarse: makeCoarseLimits({ now, settings: coarseLimitSettings(config), ...shared }),
    passwords: makePasswordThrottle({ now, wrongMinuteMax: config.wrongPasswordsMinuteMax, sharing }),
    fine: makeFineLimits({ keyring, now, settings: fineLimitSettings(config), onLimitReached, ...shared }),
    failures: makeFailureBreaker({ now, settings: failureBreakerSettings(config), onLimitReached, sharing }),
    sms: makeSmsGuard({ now, settings: smsGuardSettings(config), onLimitReached, sharing }),
  }
}

/** The counts of one merchant that simulates limits, apart from those of others. */
function shareUnder(merchantId: string, sharing: CountSharing): CountSharing {
  return {
    sliding: (name, counts) => sharing.sliding(`${merchantId} ${name}`, counts),
    distinct: (name, counts) => sharing.distinct(`${merchantId} ${name}`, counts),
    ratio: (name, counts) => sharing.ratio(`${merchantId} ${name}`, counts),
    sum: (name, counts) => sharing.sum(`${merchantId} ${name}`, counts),
  }
}

const noLimitSet: LimitSet = Object.freeze({
  coarse: noCoarseLimits,
  passwords: noPasswordThrottle,
  fine: noFineLimits,
  failures: noFailureBreaker,
  sms: noSmsGuard,
})

/** Limits that apply only to merchants that simulate them. */
export function createSimulatedLimits(
  createSet: (merchantId: string) => LimitSet,
  none: LimitSet,
  onSimulated: NonNullable<LimitDependencies['onSimulated']> = () => undefined,
): { readonly limits: LimitSet; readonly simulation: LimitSimulation } {
  const sets = new Map<string, { readonly since: number; readonly set: LimitSet }>()
  const limitsOf = (merchantId: string | null): LimitSet => (merchantId === null ? none : (sets.get(merchantId)?.set ?? none))
  return {
    limits: {
      // The dashboard is exempt, so that a user can always switch the simulation off.
      coarse: {
        check: (call: RateLimitedCall) => (call.callerKind === 'dashboard' ? noCoarseLimits : limitsOf(call.merchantId).coarse).check(call),
      },
      passwords: {
        authenticate: (credentials: CredentialStore, shown: PresentedCredential) =>
          (sets.size === 0 ? noPasswordThrottle : limitsOf(merchantIn(shown)).passwords).authenticate(credentials, shown),
      },
      fine: {
        countPan: (pan, place: CardSource) => limitsOf(place.merchantId).fine.countPan(pan, place),
        countToken: (token, merchantId) => limitsOf(merchantId).fine.countToken(token, merchantId),
      },
      failures: { watch: (merchantId, run) => limitsOf(merchantId).failures.watch(merchantId, run) },
      sms: {
        checkAndCount: (message: GuardedSms) => limitsOf(message.merchantId).sms.checkAndCount(message),
        recordConversion: (phone, agoMs, merchantId) => limitsOf(merchantId).sms.recordConversion(phone, agoMs, merchantId),
      },
    },
    simulation: Object.freeze({
      sinceOf: (merchantId: string) => sets.get(merchantId)?.since ?? null,
      begin(merchantId: string, since: number) {
        if (sets.size >= maxSimulations && !sets.has(merchantId)) return false
        sets.set(merchantId, { since, set: createSet(merchantId) })
        onSimulated(merchantId, since)
        return true
      },
      end(merchantId: string) {
        sets.delete(merchantId)
        onSimulated(merchantId, null)
      },
    }),
  }
}

/** The scope of a merchant's simulated daily caps in the store; null while it does not simulate them. */
export function simulatedCapsOf(simulation: LimitSimulation | null): (merchantId: string) => string | null {
  return (merchantId) => {
    const since = simulation?.sinceOf(merchantId) ?? null
    return since === null ? null : `${merchantId} ${String(since)}`
  }
}

function merchantIn({ xAuth }: PresentedCredential): string | null {
  return xAuth?.split(':', 1)[0]?.trim() ?? null
}

/** Bounds the memory of simulated limits, which each have their own counts. */
export const maxSimulations = 100
const maxSimulatedSubjects = 2000
