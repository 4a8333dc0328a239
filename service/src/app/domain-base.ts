import type { Keyring } from '@tessera/vault/keyring'

import type { ClockGuard } from '../domain/clock-guard.ts'
import type { RowFreshness } from '../domain/freshness/row-freshness.ts'
import type { RecentReceipts } from '../domain/payments/recent-receipts.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Store } from '../store/store.ts'

import type { makeRowAlarm } from './row-alarm.ts'

/** What most domain services depend on. */
export interface DomainBase {
  readonly store: Store
  readonly keyring: Keyring
  /** In the sandbox a time that can be moved. */
  readonly clock: Clock
  /** Whether the machine's clock may be a reason to destroy or move anything. */
  readonly clockGuard: ClockGuard
  readonly environment: Config['environment']
  readonly alarm: ReturnType<typeof makeRowAlarm>
  readonly freshness: RowFreshness
  readonly recentReceipts: RecentReceipts
}
