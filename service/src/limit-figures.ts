import type { Config } from './config.ts'

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
export function fineFiguresOf({ distinctPansHourMax, panHourMax, tokenMinuteMax }: Config) {
  return Object.freeze({ distinctPansHourMax, panHourMax, tokenMinuteMax })
}

function minuteAndHour(minuteMax: number, hourMax: number) {
  return [
    { count: minuteMax, ms: minuteMs },
    { count: hourMax, ms: 60 * minuteMs },
  ]
}

const minuteMs = 60_000
