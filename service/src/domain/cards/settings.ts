import type { Config } from '../../ops/config/config.ts'

/** Lifetimes of cards and the timeout of the card network. */
export interface CardSettings {
  /** Lifetime of a token that is not verified. */
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
