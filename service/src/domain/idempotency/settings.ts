import type { Config } from '../../ops/config/config.ts'

/** Durations of idempotency records. */
export interface IdempotencySettings {
  /** How long an outcome is stored. */
  readonly retentionMs: number
  /** How long a duplicate waits for a request in progress; longer than the timeout of a card network. Then the claim is reconciled. */
  readonly leaseMs: number
}

export function idempotencySettings(config: Config): IdempotencySettings {
  return { retentionMs: 24 * 3_600_000, leaseMs: Math.max(30_000, config.networkTimeoutMs * 2) }
}
