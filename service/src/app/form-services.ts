import { hashDisclosure } from '../domain/consents/disclosure-text.ts'
import { makeDisclosures } from '../domain/consents/disclosures.ts'
import { makeFormDocumentTokens } from '../domain/form-sessions/form-document-token.ts'
import { makeFormSessions } from '../domain/form-sessions/form-sessions.ts'
import { makeHostedSessions } from '../domain/form-sessions/hosted.ts'
import { makeFormSessionRows } from '../domain/form-sessions/rows.ts'
import type { Merchants } from '../domain/merchants/merchants.ts'
import type { Config } from '../ops/config/config.ts'
import { hostedPageUrl, makeIsFormHost } from '../server/pages/hosts.ts'

import type { Adapters } from './adapters.ts'
import type { DomainBase } from './domain-base.ts'

export interface FormServiceDependencies {
  readonly base: DomainBase
  readonly merchants: Merchants
  /** The URL of this service, once it listens. */
  readonly ownUrl: () => string
}

/** The hosted form: its sessions, documents and disclosures. */
export function createFormServices(config: Config, adapters: Adapters, { base, merchants, ownUrl }: FormServiceDependencies) {
  const { formOrigin } = config
  const { store, keyring, clock, environment } = base
  const isFormHost = makeIsFormHost(formOrigin)
  const isFormOrigin = (origin: string): boolean => URL.canParse(origin) && isFormHost(new URL(origin).host)
  const rows = makeFormSessionRows(base)
  const sessions = makeFormSessions({ store, rows, clock, merchants, isAnyOriginAllowed: adapters.isAnyOriginAllowed, isFormOrigin })
  return {
    isFormOrigin,
    sessions,
    formSessionRows: rows,
    hosted: makeHostedSessions({ store, rows, keyring, clock, environment, requireReturnOrigin: sessions.requireReturnOrigin }),
    disclosures: makeDisclosures({ ...base, texts: disclosureTexts(config, adapters) }),
    formDocuments: makeFormDocumentTokens({ keyring, clock, environment }),
    /** The URL of the hosted page of a session. */
    pageOf: (of: { merchantId: string; session: string; locale: string | null }) => hostedPageUrl(formOrigin ?? ownUrl(), of),
  }
}

/** The disclosure texts of the settings, or the defaults of the environment. */
function disclosureTexts(config: Config, { texts: fallback }: Adapters) {
  const disclosure = config.disclosure ?? fallback?.disclosure ?? null
  if (disclosure === null) return []
  const { version, texts } = hashDisclosure(disclosure)
  return Object.entries(texts).map(([locale, { text, sha256 }]) => ({ version, locale, sha256, text }))
}
