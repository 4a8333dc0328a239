import { RpcError } from '@tessera/contract/errors'

import { makeRatioBreaker, type RatioBreakerSettings } from './ratio-breaker.ts'
import { makeLimitRefusal, type LimitMode, type LimitObserver } from './limit-mode.ts'

/** Against SMS pumping, where somebody earns money by messages that nobody answers: a list of countries, a conversion rate by prefix, and a cap on cost. */
export interface SmsGuard {
  /** Counts a message that is about to go out. Throws `smsCountryNotServed`, `smsPrefixLimit` or `smsCostLimit`, and counts nothing then. */
  admit(message: GuardedSms): void
  /** The code of a message of `agoMs` ago was right, so its number belongs to a cardholder. `phone` may be masked after its prefix. */
  converted(phone: string, agoMs: number, merchantId: string): void
}

export interface GuardedSms {
  readonly merchantId: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  readonly text: string
  /** Whether an answer is expected: it is for a code, not for a message about a receipt. */
  readonly isCode: boolean
}

export const noSmsGuard: SmsGuard = Object.freeze({ admit: () => undefined, converted: () => undefined })

export interface SmsGuardSettings {
  /** Leading digits of the phones that are served. */
  readonly countries: readonly string[]
  readonly prefixMode: LimitMode
  /** Codes that were sent and never answered, by the first five digits: country and operator. */
  readonly conversion: RatioBreakerSettings
  readonly costMode: LimitMode
  /** What one part of a message costs, tiyin. */
  readonly partTiyin: number
  /** What all messages of a day may cost, tiyin. */
  readonly dayTiyinMax: number
}

export interface SmsGuardOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: SmsGuardSettings
  readonly tell: LimitObserver
}

export function makeSmsGuard({ now, settings, tell }: SmsGuardOptions): SmsGuard {
  const prefixes = makeRatioBreaker({ now, settings: settings.conversion, subjectsMax: 10_000 })
  const refusePrefix = makeLimitRefusal('smsPrefixLimit', settings.prefixMode, tell)
  const refuseCost = makeLimitRefusal('smsCostLimit', settings.costMode, tell)
  const day = { endsAt: now() + dayMs, spentTiyin: 0 }

  return Object.freeze({
    admit: ({ merchantId, phone, text, isCode }: GuardedSms) => {
      if (!settings.countries.some((country) => phone.startsWith(country))) {
        tell({ reason: 'sms_country_not_served', mode: 'on', merchantId })
        throw new RpcError('smsCountryNotServed')
      }
      const prefix = phone.slice(0, prefixDigits)
      if (isCode) refusePrefix(merchantId, prefixes.waitMs(prefix))
      turnDay()
      const costTiyin = smsPartsOf(text) * settings.partTiyin
      refuseCost(merchantId, day.spentTiyin + costTiyin > settings.dayTiyinMax ? day.endsAt - now() : 0)
      day.spentTiyin += costTiyin
      if (isCode) prefixes.count(prefix, true)
    },
    converted: (phone: string, agoMs: number) => prefixes.redeem(phone.slice(0, prefixDigits), agoMs),
  })

  function turnDay(): void {
    if (now() < day.endsAt) return
    day.endsAt = now() + dayMs
    day.spentTiyin = 0
  }
}

/** Parts that a message is sent and charged in (3GPP TS 23.040): 160 characters of the default alphabet, 70 of any other, fewer where there are several. */
export function smsPartsOf(text: string): number {
  const [one, each] = /^[\n\r -~]*$/.test(text) ? [160, 153] : [70, 67]
  return text.length <= one ? 1 : Math.ceil(text.length / each)
}

/** As many as the mask of a phone shows: 998 and the operator's two. */
const prefixDigits = 5
const dayMs = 24 * 3_600_000
