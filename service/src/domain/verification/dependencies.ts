import type { Keyring } from '@tessera/vault/keyring'

import type { CardServices } from '../cards/services.ts'
import type { Clock } from '../../clock.ts'
import type { Peers } from '../limits/peers.ts'
import type { SmsGuard } from '../limits/sms-guard.ts'
import type { SmsSender } from '../sms/sms-sender.ts'
import type { Networks } from '../networks.ts'
import type { HolderService } from '../../adapters/holder/holder.ts'
import type { Codes } from '../../adapters/sms/codes.ts'
import type { Store } from '../../store/store.ts'
import type { VerificationRow } from '../../store/verifications.ts'
import type { TamperedRowAlarm, VerifiedRows } from '../verified-rows.ts'

import type { RecentSends } from '../limits/recent-sends.ts'

import type { BegunStops } from './begun-stops.ts'
import type { EvaluatedCodes } from './evaluated-codes.ts'
import type { VerificationSettings } from './settings.ts'
import type { SimulatedCaps } from './daily-caps.ts'
import type { WrongCodes } from './wrong-codes.ts'

export interface VerificationDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly networks: Networks
  readonly sms: SmsSender
  /** The outside service that says whether a phone is the cardholder's; null where no policy asks one. */
  readonly holder: HolderService | null
  readonly peers: Pick<Peers, 'holder'>
  readonly smsGuard: SmsGuard
  readonly codes: Codes
  readonly cards: CardServices
  readonly clock: Clock
  readonly settings: VerificationSettings
  readonly evaluatedCodes: EvaluatedCodes
  readonly wrongCodes: WrongCodes
  readonly begunStops: BegunStops
  readonly recentSends: RecentSends
  readonly rows: VerifiedRows<VerificationRow>
  readonly alarm: TamperedRowAlarm
  /** In the test environment only. */
  readonly simulatedCaps?: SimulatedCaps | undefined
}
