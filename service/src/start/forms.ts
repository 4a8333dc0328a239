import type { Adapters } from './adapters.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { openDisclosures } from './consents.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import { makeIsFormHost } from '../form/host.ts'
import { pageAddress } from '../form/page-address.ts'
import { makeFormSessions } from '../form-sessions/form-sessions.ts'
import { makeHostedSessions, type HostedSessions } from '../form-sessions/hosted.ts'
import { makeFormSessionRows } from '../form-sessions/rows.ts'
import { makeServedForms, type ServedForms } from '../form-sessions/served.ts'
import type { Kept } from './kept.ts'
import type { MerchantBook } from '../merchants/book.ts'

/** What is behind the hosted form: its sessions, the documents it was made for, and the texts that cardholders agree to. */
export interface FormSide {
  readonly sessions: ReturnType<typeof makeFormSessions>
  readonly hosted: HostedSessions
  readonly disclosures: Disclosures
  readonly served: ServedForms
  /** The address of the hosted page of a session. */
  readonly pageOf: (of: { merchantId: string; session: string; locale: string | null }) => string
}

export interface FormSideParts extends Pick<Kept, 'store' | 'keyring'> {
  readonly clock: Clock
  readonly merchants: MerchantBook
  readonly alarm: (event: string, about: Readonly<Record<string, unknown>>) => void
  /** Where this service listens, once it does. */
  readonly ownUrl: () => string
}

export async function makeFormSide(parts: FormSideParts, adapters: Adapters, config: Config): Promise<FormSide> {
  const { store, keyring, clock, merchants, alarm, ownUrl } = parts
  const { environment, formOrigin } = config
  const { isAnyOriginWelcome } = adapters
  const isFormHost = makeIsFormHost(formOrigin)
  const isFormOrigin = (origin: string): boolean => URL.canParse(origin) && isFormHost(new URL(origin).host)
  const rows = makeFormSessionRows({ store, keyring, environment, alarm })
  const sessions = makeFormSessions({ store, rows, clock, merchants, isAnyOriginWelcome, isFormOrigin })
  return {
    sessions,
    hosted: makeHostedSessions({ store, rows, keyring, clock, environment, expectWayBack: sessions.expectWayBack }),
    disclosures: await openDisclosures(config, adapters, { store, clock }),
    served: makeServedForms({ keyring, clock, environment }),
    pageOf: ({ merchantId, session, locale }) => pageAddress(formOrigin ?? ownUrl(), { merchantId, session, locale }),
  }
}
