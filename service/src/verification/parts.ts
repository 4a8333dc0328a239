import type { Keyring } from '@tessera/vault/keyring'

import type { Cards } from '../cards/cards.ts'
import type { Clock } from '../clock.ts'
import type { SmsGuard } from '../limits/sms-guard.ts'
import type { Network } from '../network/network.ts'
import type { Codes } from '../sms/codes.ts'
import type { Sms } from '../sms/sms.ts'
import type { Store } from '../store/store.ts'

import type { VerificationFigures } from './figures.ts'
import type { RehearsedCaps } from './limits.ts'

export interface VerificationParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly network: Network
  readonly sms: Sms
  readonly smsGuard: SmsGuard
  readonly codes: Codes
  readonly cards: Cards
  readonly clock: Clock
  readonly figures: VerificationFigures
  /** In the test environment alone. */
  readonly rehearsed?: RehearsedCaps | undefined
}
