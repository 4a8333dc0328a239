import type { ReceiptState } from '@tessera/contract/receipt'
import type { Keyring } from '@tessera/vault/keyring'

import type { MerchantApi } from '../../adapters/merchant-api/merchant-api.ts'
import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import { type OperationRow, operationsTable } from '../../store/operations.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import { type CardLockRow, cardLocksTable, type ReceiptRow, receiptsTable } from '../../store/receipts.ts'
import type { Store } from '../../store/store.ts'
import type { ClockGuard } from '../clock-guard.ts'
import type { CardServices } from '../cards/services.ts'
import type { Peers } from '../limits/peers.ts'
import type { RecentSends } from '../limits/recent-sends.ts'
import type { SmsGuard } from '../limits/sms-guard.ts'
import type { SmsSender } from '../sms/sms-sender.ts'
import type { Networks } from '../networks.ts'
import type { MerchantCache } from '../merchants/merchant-cache.ts'
import type { SimulatedCaps } from '../verification/daily-caps.ts'

import type { RecentReceipts } from './recent-receipts.ts'
import type { PaymentSettings } from './settings.ts'
import { type CardRow, cardsTable } from '../../store/cards.ts'
import { makeVerifiedRows, type VerifiedRows } from '../verified-rows.ts'

export interface PaymentDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly networks: Networks
  readonly endpoint: MerchantApi
  readonly sms: SmsSender
  readonly peers: Peers
  readonly smsGuard: SmsGuard
  readonly recentSends: RecentSends
  readonly cards: CardServices
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly clock: Clock
  readonly clockGuard: Pick<ClockGuard, 'isTrusted'>
  /** `test` or `production`: in every MAC. */
  readonly environment: string
  readonly settings: PaymentSettings
  /** Test environment only. */
  readonly simulatedCaps?: SimulatedCaps | undefined
  readonly alarm: ReceiptAlarm
  readonly freshness?: RowFreshness | undefined
  /** For the summaries of what was changed. */
  readonly recentReceipts?: Pick<RecentReceipts, 'add'> | undefined
  /** Called after each stored transition; must not throw. */
  readonly onTransition?: ((transition: AppliedTransition) => void) | undefined
}

/** Reports a row that has a wrong MAC or cannot be read. Gets ids only; must at least be logged. */
export type ReceiptAlarm = (
  event: 'row_tampered' | 'row_broken',
  fields: { merchantId: string; cardId: string; requestId: string; receiptId?: string; table?: string },
) => void

/** The dependencies with the row MACs. */
export interface PaymentServices extends PaymentDependencies {
  readonly rows: VerifiedRows<ReceiptRow>
  readonly cardRows: VerifiedRows<CardRow>
  readonly operationRows: VerifiedRows<OperationRow>
  readonly eventRows: VerifiedRows<EventRow>
  readonly lockRows: VerifiedRows<CardLockRow>
}

export function withRowMacs<D extends PaymentDependencies>(dependencies: D): D & PaymentServices {
  return {
    ...dependencies,
    rows: makeVerifiedRows(dependencies, receiptsTable),
    cardRows: makeVerifiedRows(dependencies, cardsTable),
    operationRows: makeVerifiedRows(dependencies, operationsTable),
    lockRows: makeVerifiedRows(dependencies, cardLocksTable),
    eventRows: makeVerifiedRows(dependencies, outboxTable),
  }
}

/** A transition that was stored, for the log and the gauges. */
export interface AppliedTransition {
  /** A cause of the table of transitions; `created` for a new receipt. */
  readonly cause: string
  /** Null for a new receipt. */
  readonly from: ReceiptState | null
  readonly receipt: ReceiptRow
  readonly hasBecomeFlagged: boolean
  /** '' for background jobs. */
  readonly requestId: string
}
