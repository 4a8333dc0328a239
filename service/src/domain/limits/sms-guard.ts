import { RpcError } from '@tessera/contract/errors'
import { countSmsSegments } from '@tessera/contract/sms-text'

import { noCountSharing, type CountSharing } from './count-sharing.ts'
import { makeRatioBreaker, type RatioBreakerSettings } from './ratio-breaker.ts'
import { makeLimitRefusal, type LimitMode, type LimitObserver } from './limit-mode.ts'

/** Protection against SMS pumping, where fraudsters earn from messages to their own numbers: a list of countries, a minimum conversion rate per prefix, and a cap on cost. */
export interface SmsGuard {
  /** Counts a message before it is sent. At a limit it throws `smsCountryNotServed`, `smsPrefixLimit` or `smsCostLimit`, and counts nothing. */
  checkAndCount(message: GuardedSms): void
  /** The code of a message sent `agoMs` ago was right, so it was sent to a cardholder. `phone` may be masked after its prefix. */
  recordConversion(phone: string, agoMs: number, merchantId: string): void
}

export interface GuardedSms {
  readonly merchantId: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  readonly text: string
  /** Whether a conversion is expected: for a code, not for a message about a receipt. */
  readonly isCode: boolean
}

export const noSmsGuard: SmsGuard = Object.freeze({ checkAndCount: () => undefined, recordConversion: () => undefined })

export interface SmsGuardSettings {
  /** Country codes that messages may be sent to. */
  readonly countries: readonly string[]
  readonly prefixMode: LimitMode
  /** Limit of codes that were sent and never entered, by the first five digits: country and operator. */
  readonly conversion: RatioBreakerSettings
  readonly costMode: LimitMode
  /** Cost of one message segment. */
  readonly segmentTiyin: number
  /** Most that all messages of a day may cost. */
  readonly maxDailyTiyin: number
}

export interface SmsGuardOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: SmsGuardSettings
  readonly onLimitReached: LimitObserver
  /** Default: no other worker counts. */
  readonly sharing?: CountSharing
}

export function makeSmsGuard({ now, settings, onLimitReached, sharing = noCountSharing }: SmsGuardOptions): SmsGuard {
  const prefixes = sharing.ratio('sms_prefixes', makeRatioBreaker({ now, settings: settings.conversion, maxSubjects: 10_000 }))
  const refusePrefix = makeLimitRefusal('smsPrefixLimit', settings.prefixMode, onLimitReached)
  const refuseCost = makeLimitRefusal('smsCostLimit', settings.costMode, onLimitReached)
  const day = { endsAt: now() + dayMs, spentTiyin: 0 }
  const spent = sharing.sum('sms_cost', {
    add(tiyin) {
      startNewDay()
      day.spentTiyin += tiyin
    },
    total() {
      startNewDay()
      return day.spentTiyin
    },
  })

  return Object.freeze({
    checkAndCount: ({ merchantId, phone, text, isCode }: GuardedSms) => {
      if (!settings.countries.some((country) => phone.startsWith(country))) {
        onLimitReached({ reason: 'sms_country_not_served', mode: 'on', merchantId })
        throw new RpcError('smsCountryNotServed')
      }
      const prefix = phone.slice(0, prefixDigits)
      if (isCode) refusePrefix(merchantId, prefixes.waitMs(prefix))
      const costTiyin = countSmsSegments(text) * settings.segmentTiyin
      refuseCost(merchantId, spent.total() + costTiyin > settings.maxDailyTiyin ? day.endsAt - now() : 0)
      spent.add(costTiyin)
      if (isCode) prefixes.count(prefix, true)
    },
    recordConversion: (phone: string, agoMs: number) => prefixes.markSucceeded(phone.slice(0, prefixDigits), agoMs),
  })

  function startNewDay(): void {
    if (now() < day.endsAt) return
    day.endsAt = now() + dayMs
    day.spentTiyin = 0
  }
}

/** As many digits as the mask of a phone shows: 998 and two of the operator. */
const prefixDigits = 5
const dayMs = 24 * 3_600_000
