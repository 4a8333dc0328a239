import type { RecorderFigures } from '../request-log/recorder.ts'
import type { Config } from '../config/config.ts'
import { idempotencyFigures } from '../idempotency/figures.ts'
import { makeAddressList } from '../config/proxies.ts'
import { receiptFigures } from '../receipts/figures.ts'
import { sendWindowsOf } from '../verification/limits.ts'

// What the settings mean to each part: times in its own unit, and the figures that are no settings beside them.

export function boundsOf(config: Config) {
  return {
    inFlightMax: config.inFlightMax,
    inFlightPerConnectionMax: config.connectionInFlightMax,
    inFlightPerAddressMax: config.addressInFlightMax,
    socketsMax: config.connectionsMax,
    socketsPerAddressMax: config.addressConnectionsMax,
  }
}

/** Whose word about a client's address is taken. */
export function proxiesOf({ trustedProxies, proxyHeader }: Config) {
  return Object.freeze({ header: proxyHeader, has: makeAddressList(trustedProxies ?? []) })
}

export function cardFiguresOf(config: Config) {
  return {
    unverifiedLifeMs: config.unverifiedLifeMinutes * 60_000,
    oneTimeLifeMs: config.oneTimeLifeHours * 3_600_000,
    networkTimeoutMs: config.networkTimeoutMs,
  }
}

export function verificationFiguresOf(config: Config, limitsByDefault: boolean) {
  return {
    codeLifeMs: config.otpLifeSeconds * 1000,
    triesMax: config.otpTriesMax,
    resendWaitMs: config.resendWaitSeconds * 1000,
    limits: config.limits ?? limitsByDefault,
    dayTriesMax: config.cardDayTriesMax,
    sendWindows: sendWindowsIn(config),
    wrongCodesHourMax: config.wrongCodesHourMax,
    networkTimeoutMs: config.networkTimeoutMs,
    smsTimeoutMs: config.smsTimeoutMs,
    providerName: config.providerName ?? 'Tessera',
    formHost: config.formOrigin === null ? null : new URL(config.formOrigin).host,
  }
}

function sendWindowsIn({ sendTenMinutesMax, sendDayMax }: Config) {
  return sendWindowsOf({ tenMinutesMax: sendTenMinutesMax, dayMax: sendDayMax })
}

export function receiptFiguresOf(config: Config, limitsByDefault: boolean) {
  return {
    ...receiptFigures,
    networkTimeoutMs: config.networkTimeoutMs,
    // A call that is under way is never taken for a lost one.
    leaseMs: Math.max(receiptFigures.leaseMs, config.networkTimeoutMs * 2),
    limits: config.limits ?? limitsByDefault,
    sendWindows: sendWindowsIn(config),
    smsTimeoutMs: config.smsTimeoutMs,
    providerName: config.providerName ?? receiptFigures.providerName,
  }
}

export function idempotencyFiguresOf(config: Config) {
  return { ...idempotencyFigures, leaseMs: Math.max(idempotencyFigures.leaseMs, config.networkTimeoutMs * 2) }
}

/** What the request log keeps; waiting calls are a few kilobytes each at most. */
export function recorderFiguresOf({ requestLogDays, requestLogRowsMax }: Config): RecorderFigures {
  return { days: requestLogDays, rowsMax: requestLogRowsMax, waitingMax: 5000 }
}
