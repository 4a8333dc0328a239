import type { Config } from '../../ops/config/config.ts'

/** How long things last for an idempotency key, in milliseconds. */
export interface IdempotencySettings {
  /** How long an outcome is stored. */
  readonly keptMs: number
  /** How long a request that is under way is waited for; longer than a card network may take. Afterwards it is reconciled with what happened. */
  readonly leaseMs: number
}

export function idempotencySettings(config: Config): IdempotencySettings {
  return { keptMs: 24 * 3_600_000, leaseMs: Math.max(30_000, config.networkTimeoutMs * 2) }
}
