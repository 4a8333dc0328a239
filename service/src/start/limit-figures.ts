import type { Config } from '../config/config.ts'

// What the settings of limits mean to the parts that count.

/** Of calls, by the class of their method. */
export function coarseFiguresOf(config: Config) {
  return Object.freeze({
    create: {
      address: minuteAndHour(config.createAddressMinuteMax, config.createAddressHourMax),
      block: minuteAndHour(config.createBlockMinuteMax, config.createBlockHourMax),
      merchant: [{ count: config.createMerchantMinuteMax, ms: minuteMs }],
    },
    verify: {
      address: minuteAndHour(config.verifyAddressMinuteMax, config.verifyAddressHourMax),
      block: minuteAndHour(config.verifyBlockMinuteMax, config.verifyBlockHourMax),
      merchant: [{ count: config.verifyMerchantMinuteMax, ms: minuteMs }],
    },
    read: { address: [], block: [], merchant: [{ count: config.readMerchantMinuteMax, ms: minuteMs }] },
    write: { address: [], block: [], merchant: [{ count: config.writeMerchantMinuteMax, ms: minuteMs }] },
    none: null,
  })
}

/** Of PANs and tokens. */
export function fineFiguresOf({ distinctPansHourMax, panHourMax, tokenMinuteMax, iinLimit, shortIinHourMax, longIinHourMax }: Config) {
  return Object.freeze({ distinctPansHourMax, panHourMax, tokenMinuteMax, iinMode: iinLimit, shortIinHourMax, longIinHourMax })
}

/** Of failures, at one merchant and at all. */
export function failureFiguresOf({ failureLimit, failurePercentMax, failureMerchantLeast, failureLeast, breakerPauseMinutes }: Config) {
  const figures = { spanMs: 10 * minuteMs, youngMs: 0, badPercentMax: failurePercentMax, pauseMs: breakerPauseMinutes * minuteMs }
  return Object.freeze({
    mode: failureLimit,
    merchant: { ...figures, leastCount: failureMerchantLeast },
    global: { ...figures, leastCount: failureLeast },
  })
}

/** Of messages. Cardholders type their code within two minutes; what is younger is not judged. */
export function smsFiguresOf(config: Config) {
  return Object.freeze({
    countries: config.smsCountries ?? ['998'],
    prefixMode: config.smsPrefixLimit,
    conversion: {
      ...{ spanMs: 30 * minuteMs, youngMs: 2 * minuteMs, leastCount: config.smsPrefixLeast },
      ...{ badPercentMax: 100 - config.smsConvertedPercentLeast, pauseMs: config.breakerPauseMinutes * minuteMs },
    },
    costMode: config.smsCostLimit,
    partTiyin: config.smsPartTiyin,
    dayTiyinMax: config.smsDayTiyinMax,
  })
}

function minuteAndHour(minuteMax: number, hourMax: number) {
  return [
    { count: minuteMax, ms: minuteMs },
    { count: hourMax, ms: 60 * minuteMs },
  ]
}

const minuteMs = 60_000
