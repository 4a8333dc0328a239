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
    windowMs: 10 * minuteMs,
    minAgeMs: 0,
    maxFailurePercent: config.failurePercentMax,
    openForMs: config.breakerPauseMinutes * minuteMs,
  }
  return {
    mode: config.failureLimit,
    merchant: { ...ratio, minCount: config.failureMerchantLeast },
    global: { ...ratio, minCount: config.failureLeast },
  }
}

/** Limits of messages. Cardholders enter their code within two minutes, so a younger message does not count as unconverted yet. */
export function smsGuardSettings(config: Config): SmsGuardSettings {
  return {
    countries: config.smsCountries ?? ['998'],
    prefixMode: config.smsPrefixLimit,
    conversion: {
      windowMs: 30 * minuteMs,
      minAgeMs: 2 * minuteMs,
      minCount: config.smsPrefixLeast,
      maxFailurePercent: 100 - config.smsConvertedPercentLeast,
      openForMs: config.breakerPauseMinutes * minuteMs,
    },
    costMode: config.smsCostLimit,
    segmentTiyin: config.smsPartTiyin,
    maxDailyTiyin: config.smsDayTiyinMax,
  }
}

const minuteMs = 60_000
