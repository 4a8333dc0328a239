import type { Config } from '../../ops/config/config.ts'
import type { SendClaim } from '../../store/send-limits.ts'
import { sendWindowsOf } from '../verification/daily-caps.ts'

/** Durations and limits of payments: settings, or constants of docs/reference/wire.md. */
export interface PaymentSettings {
  /** An unpaid receipt is cancelled after this (docs/reference/wire.md#receipts). */
  readonly unpaidLifetimeMs: number
  /** A hold is released after this. */
  readonly holdLifetimeMs: number
  /** Timeout of a call of the card network. */
  readonly networkTimeoutMs: number
  /** Timeout of all calls of a merchant's endpoint in one step. */
  readonly endpointTimeoutMs: number
  /** How long `perform` of a merchant's endpoint that does not respond is repeated; then the money is returned. */
  readonly merchantConfirmForMs: number
  /** Lease of a call in progress; longer than the network's timeout and than a restart. The worker takes over afterwards. */
  readonly leaseMs: number
  /** Backoff of the worker: the first wait, doubled after each attempt, and the longest one. */
  readonly initialBackoffMs: number
  readonly maxBackoffMs: number
  /** A receipt that is still unknown or returning after this is flagged for an operator. */
  readonly flagAfterMs: number
  /** Whether messages to a phone are counted. Off in the test environment unless simulated. */
  readonly limits: boolean
  /** Limits of messages to one phone, codes included. */
  readonly sendWindows: SendClaim['windows']
  readonly smsTimeoutMs: number
  /** The sender's name in messages. */
  readonly providerName: string
}

export function paymentSettings(config: Config, areLimitsOn: boolean): PaymentSettings {
  return {
    unpaidLifetimeMs: 12 * 3_600_000,
    holdLifetimeMs: 7 * 24 * 3_600_000,
    networkTimeoutMs: config.networkTimeoutMs,
    endpointTimeoutMs: 16_000,
    // The lifetime of a transaction in the Payme Merchant API, after which merchants refuse to perform it.
    merchantConfirmForMs: 12 * 3_600_000,
    // A call in progress must not count as lost.
    leaseMs: Math.max(30_000, config.networkTimeoutMs * 2),
    initialBackoffMs: 1000,
    maxBackoffMs: 600_000,
    flagAfterMs: 24 * 3_600_000,
    limits: areLimitsOn,
    sendWindows: sendWindowsOf({ waitMs: 60_000, tenMinutesMax: config.sendTenMinutesMax, dayMax: config.sendDayMax }),
    smsTimeoutMs: config.smsTimeoutMs,
    providerName: config.providerName ?? 'Tessera',
  }
}
