import { RpcError } from '@tessera/contract/errors'

import { makeRatioBreaker, type RatioFigures } from './ratio-breaker.ts'
import { makeRefuse, type LimitMode, type TellLimit } from './refusing.ts'

/** Against SMS pumping: messages that earn somebody money and that nobody ever answers (security: a country list, conversion by prefix, a cap of cost). */
export interface SmsGuard {
  /** Counts a message that is about to go out. Throws `smsCountryNotServed`, `smsPrefixLimit` or `smsCostLimit`, and counts nothing then. */
  admit(message: GuardedMessage): void
  /** The code of a message of so long ago was right: its number belongs to a cardholder. `phone` may be masked behind its prefix. */
  converted(phone: string, agoMs: number, merchantId: string): void
}

export interface GuardedMessage {
  readonly merchantId: string
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  readonly text: string
  /** Whether an answer is expected at all: a code is, a note about a receipt is not. */
  readonly isCode: boolean
}

export const noSmsGuard: SmsGuard = Object.freeze({ admit: () => undefined, converted: () => undefined })

export interface SmsGuardFigures {
  /** Leading digits of the phones that are served. */
  readonly countries: readonly string[]
  readonly prefixMode: LimitMode
  /** Codes that were sent and never answered, by the first five digits: country and operator. */
  readonly conversion: RatioFigures
  readonly costMode: LimitMode
  /** What one part of a message costs, tiyin. */
  readonly partTiyin: number
  /** What all messages of a day may cost, tiyin. */
  readonly dayTiyinMax: number
}

export interface SmsGuardParts {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  readonly figures: SmsGuardFigures
  readonly tell: TellLimit
}

export function makeSmsGuard({ now, figures, tell }: SmsGuardParts): SmsGuard {
  const prefixes = makeRatioBreaker({ now, figures: figures.conversion, subjectsMax: 10_000 })
  const refusePrefix = makeRefuse('smsPrefixLimit', figures.prefixMode, tell)
  const refuseCost = makeRefuse('smsCostLimit', figures.costMode, tell)
  const day = { endsAt: now() + dayMs, spentTiyin: 0 }

  return Object.freeze({
    admit: ({ merchantId, phone, text, isCode }: GuardedMessage) => {
      if (!figures.countries.some((country) => phone.startsWith(country))) {
        tell({ reason: 'sms_country_not_served', mode: 'on', merchantId })
        throw new RpcError('smsCountryNotServed')
      }
      const prefix = phone.slice(0, prefixDigits)
      if (isCode) refusePrefix(merchantId, prefixes.waitMs(prefix))
      turnDay()
      const costTiyin = partsOf(text) * figures.partTiyin
      refuseCost(merchantId, day.spentTiyin + costTiyin > figures.dayTiyinMax ? day.endsAt - now() : 0)
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
export function partsOf(text: string): number {
  const [one, each] = /^[\n\r -~]*$/.test(text) ? [160, 153] : [70, 67]
  return text.length <= one ? 1 : Math.ceil(text.length / each)
}

/** As many as the mask of a phone shows: 998 and the operator's two. */
const prefixDigits = 5
const dayMs = 24 * 3_600_000
