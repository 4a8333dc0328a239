import { RpcError, type ErrorName } from '@tessera/contract/errors'

import { noCountSharing, type CountSharing } from './count-sharing.ts'
import { makeRatioBreaker, type RatioBreakerSettings } from './ratio-breaker.ts'
import { makeLimitRefusal, type LimitMode, type LimitObserver } from './limit-mode.ts'

/**
 * The failure breaker: when far more cards and codes fail than with real cardholders, they are being guessed, from whatever addresses. It watches each
 * merchant and all merchants together.
 */
export interface FailureBreaker {
  /** Runs a call unless the breaker is open, and counts its outcome. Throws `failureLimit`. */
  watch<T>(merchantId: string, run: () => Promise<T>): Promise<T>
}

export const noFailureBreaker: FailureBreaker = Object.freeze({ watch: <T>(_merchantId: string, run: () => Promise<T>) => run() })

export interface FailureBreakerOptions {
  readonly now: () => number
  readonly settings: FailureBreakerSettings
  readonly onLimitReached: LimitObserver
  /** Default: no other worker counts. */
  readonly sharing?: CountSharing
}

export interface FailureBreakerSettings {
  readonly mode: LimitMode
  readonly merchant: RatioBreakerSettings
  readonly global: RatioBreakerSettings
}

export function makeFailureBreaker({ now, settings, onLimitReached, sharing = noCountSharing }: FailureBreakerOptions): FailureBreaker {
  const merchants = sharing.ratio('failures', makeRatioBreaker({ now, settings: settings.merchant, maxSubjects: 50_000 }))
  const all = sharing.ratio('all_failures', makeRatioBreaker({ now, settings: settings.global, maxSubjects: 1 }))
  const refuse = makeLimitRefusal('failureLimit', settings.mode, onLimitReached)

  return Object.freeze({
    async watch<T>(merchantId: string, run: () => Promise<T>): Promise<T> {
      refuse(merchantId, Math.max(merchants.waitMs(merchantId), all.waitMs('')))
      try {
        const result = await run()
        count(merchantId, false)
        return result
      } catch (err) {
        if (err instanceof RpcError && failures.has(err.entry)) count(merchantId, true)
        throw err
      }
    },
  })

  function count(merchantId: string, isFailure: boolean): void {
    merchants.count(merchantId, isFailure)
    all.count('', isFailure)
  }
}

/** Errors that guessing causes. Limits, internal and network errors, and malformed requests count neither as success nor as failure. */
const failures: ReadonlySet<ErrorName> = new Set([
  'cardNumberCheckDigit',
  'cardNumberNoRoute',
  'expirePast',
  'smsNotConnected',
  'cardExpired',
  'cardBlocked',
  'wrongCode',
  'triesUsedUp',
  'cardDayTriesUsedUp',
])
