import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import type { IdempotencyRow } from '../../store/idempotency.ts'
import type { Store } from '../../store/store.ts'
import type { ClockGuard } from '../clock-guard.ts'
import type { VerifiedRows } from '../verified-rows.ts'
import type { Config } from '../../ops/config/config.ts'

import type { IdempotencyHandle } from './handle.ts'
import type { RunningProcesses } from './processes.ts'

export interface IdempotencyDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly clockGuard: Pick<ClockGuard, 'isTrusted'>
  readonly environment: string
  readonly settings: IdempotencySettings
  readonly rows: VerifiedRows<IdempotencyRow>
  readonly processes: RunningProcesses
}

/** An operation that is executed once. */
export interface IdempotentOperation<T> {
  readonly run: (handle: IdempotencyHandle<object>) => Promise<T>
  /** Finds the outcome of a pending claim. Null if the operation stores claim and outcome in one transaction. */
  readonly reconcile: ((claim: PendingClaim) => Promise<T | null>) | null
}

/** A claim of a request that has stored no outcome. */
export interface PendingClaim {
  /** The id that the claim was stored with. */
  readonly subject: string
  /** Whether the lease of the request is over. An outcome that is not found by then will not be. */
  readonly isExpired: boolean
}

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
