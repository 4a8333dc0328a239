import { RpcError, type ErrorName } from '@tessera/contract/errors'

import { makeRatioBreaker, type RatioFigures } from './ratio-breaker.ts'
import { makeRefuse, type LimitMode, type TellLimit } from './refusing.ts'

/**
 * The breaker of failures: where far more cards and codes fail than among cardholders, somebody tries numbers, whatever the addresses. It watches a
 * merchant, and all of them together.
 */
export interface FailureBreaker {
  /** Runs a call unless the breaker is open, and counts how it ended. Throws `failureLimit`. */
  watch<T>(merchantId: string, run: () => Promise<T>): Promise<T>
}

export const noFailureBreaker: FailureBreaker = Object.freeze({ watch: <T>(_merchantId: string, run: () => Promise<T>) => run() })

export interface FailureParts {
  readonly now: () => number
  readonly figures: FailureFigures
  readonly tell: TellLimit
}

export interface FailureFigures {
  readonly mode: LimitMode
  readonly merchant: RatioFigures
  readonly global: RatioFigures
}

export function makeFailureBreaker({ now, figures, tell }: FailureParts): FailureBreaker {
  const merchants = makeRatioBreaker({ now, figures: figures.merchant, subjectsMax: 50_000 })
  const all = makeRatioBreaker({ now, figures: figures.global, subjectsMax: 1 })
  const refuse = makeRefuse('failureLimit', figures.mode, tell)

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

  function count(merchantId: string, isBad: boolean): void {
    merchants.count(merchantId, isBad)
    all.count('', isBad)
  }
}

/** What trying numbers and codes brings about. Limits, faults of ours and of the network, and calls that make no sense are neither good nor bad. */
const failures: ReadonlySet<ErrorName> = new Set([
  ...(['cardNumberCheckDigit', 'cardNumberNoRoute', 'expirePast'] as const),
  ...(['smsNotConnected', 'cardExpired', 'cardBlocked'] as const),
  ...(['wrongCode', 'triesUsedUp', 'cardDayTriesUsedUp'] as const),
])
