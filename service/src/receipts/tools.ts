import type { Keyring } from '@tessera/vault/keyring'

import type { Cards } from '../cards/cards.ts'
import type { CardMac } from '../cards/mac.ts'
import type { Clock } from '../clock.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { MerchantEndpoint } from '../endpoint/endpoint.ts'
import type { SmsGuard } from '../limits/sms-guard.ts'
import type { Network } from '../network/network.ts'
import type { Sms } from '../sms/sms.ts'
import type { Store } from '../store/store.ts'
import type { RehearsedCaps } from '../verification/limits.ts'

import type { ReceiptFigures } from './figures.ts'
import type { ReceiptMac } from './row.ts'

export interface ReceiptParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly network: Network
  readonly endpoint: MerchantEndpoint
  readonly sms: Sms
  readonly smsGuard: SmsGuard
  readonly cards: Cards
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly clock: Clock
  /** `test` or `production`: in every MAC. */
  readonly environment: string
  readonly figures: ReceiptFigures
  /** In the test environment alone. */
  readonly rehearsed?: RehearsedCaps | undefined
  readonly alarm: ReceiptAlarm
}

/** Told when a row is not as we wrote it, or cannot be read. Ids only; to be logged at least. */
export type ReceiptAlarm = (
  event: 'row_tampered' | 'row_broken',
  fields: { merchantId: string; cardId: string; requestId: string; receiptId: string },
) => void

/** What the deeds of this folder work with. */
export interface ReceiptTools extends ReceiptParts {
  readonly mac: ReceiptMac
  readonly cardMac: CardMac
}
