import type { Config } from '../../ops/config/config.ts'

import type { FailureBreakerSettings } from './failure-breaker.ts'
import type { FineLimitSettings } from './fine-limits.ts'
import type { SmsGuardSettings } from './sms-guard.ts'

/** Limits of PANs and tokens. */
export function fineLimitSettings(config: Config): FineLimitSettings {
  const { distinctPansHourMax, panHourMax, tokenMinuteMax, iinLimit, shortIinHourMax, longIinHourMax } = config
  return { distinctPansHourMax, panHourMax, tokenMinuteMax, iinMode: iinLimit, shortIinHourMax, longIinHourMax }
}

/** Limits of failed cards and codes, at one merchant and at all of them. */
export function failureBreakerSettings(config: Config): FailureBreakerSettings {
  const ratio = {
    spanMs: 10 * minuteMs,
    youngMs: 0,
    badPercentMax: config.failurePercentMax,
    pauseMs: config.breakerPauseMinutes * minuteMs,
  }
  return {
    mode: config.failureLimit,
    merchant: { ...ratio, leastCount: config.failureMerchantLeast },
    global: { ...ratio, leastCount: config.failureLeast },
  }
}

/** Limits of messages. Cardholders type their code within two minutes, so a younger message is not counted as unanswered. */
export function smsGuardSettings(config: Config): SmsGuardSettings {
  return {
    countries: config.smsCountries ?? ['998'],
    prefixMode: config.smsPrefixLimit,
    conversion: {
      spanMs: 30 * minuteMs,
      youngMs: 2 * minuteMs,
      leastCount: config.smsPrefixLeast,
      badPercentMax: 100 - config.smsConvertedPercentLeast,
      pauseMs: config.breakerPauseMinutes * minuteMs,
    },
    costMode: config.smsCostLimit,
    partTiyin: config.smsPartTiyin,
    dayTiyinMax: config.smsDayTiyinMax,
  }
}

const minuteMs = 60_000
