import type { Config } from '../../ops/config/config.ts'

/** How long a card is kept, and how long its network may take. Milliseconds. */
export interface CardSettings {
  /** Lifetime of a token that nobody has verified. */
  readonly unverifiedLifetimeMs: number
  /** Lifetime of a verified token that was created without `save`, from its verification. */
  readonly oneTimeLifetimeMs: number
  readonly networkTimeoutMs: number
}

export function cardSettings(config: Config): CardSettings {
  return {
    unverifiedLifetimeMs: config.unverifiedLifetimeMinutes * 60_000,
    oneTimeLifetimeMs: config.oneTimeLifetimeHours * 3_600_000,
    networkTimeoutMs: config.networkTimeoutMs,
  }
}
