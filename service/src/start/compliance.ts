import { everyMs, type Job } from './background.ts'
import { makeCardMac } from '../cards/mac.ts'
import type { Clock } from '../clock.ts'
import { makeEvidence, type ProviderFacts, type TellEvidence } from '../compliance/evidence.ts'
import { makeFindings, type Findings } from '../compliance/findings.ts'
import type { Config } from '../config/config.ts'
import { makeConsents, type NewestConsents } from '../consents/consents.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import type { Kept } from './kept.ts'
import type { MerchantBook } from '../merchants/book.ts'
import { makeGet } from '../outbound/get.ts'
import type { Guard } from '../outbound/guard.ts'
import { makeFetchPage } from '../page-check/fetch-page.ts'
import { makePageCheck, type PageCheck } from '../page-check/page-check.ts'
import { makeParse } from '../page-check/parse.ts'
import type { Journal } from '../rpc/journal.ts'

/** What the grid needs for the page Compliance and the page check. */
export interface ComplianceSide {
  readonly findings: Findings
  readonly evidence: TellEvidence
  readonly consents: NewestConsents
  readonly pageCheck: PageCheck
}

export interface ComplianceParts extends Pick<Kept, 'store' | 'keyring'> {
  readonly clock: Clock
  readonly merchants: MerchantBook
  readonly disclosures: Disclosures
  readonly guard: Guard
  readonly isLoopbackWelcome: boolean
  readonly form: ProviderFacts['form']
}

export function makeComplianceSide(
  { store, keyring, clock, merchants, disclosures, guard, isLoopbackWelcome, form }: ComplianceParts,
  { environment, formOrigin, providerName, termsUrl, privacyUrl }: Config,
): ComplianceSide {
  const mac = makeCardMac(keyring, environment)
  const findings = makeFindings({ store, clock })
  const facts = { provider: { name: providerName ?? 'Tessera', termsUrl, privacyUrl }, form }
  const get = makeGet({ guard, clock, timeoutMs: fetchMs, replyBytesMax: pageBytesMax })
  return {
    findings,
    evidence: makeEvidence({ store, mac, merchants, disclosures, findings, facts }),
    consents: makeConsents({ store, disclosures, mac }),
    pageCheck: makePageCheck({
      ...{ store, clock, merchants, formOrigin, parse: makeParse({ clock }) },
      fetchPage: makeFetchPage({ get, guard, isLoopbackWelcome }),
    }),
  }
}

/** Writes down, every other second, what the service saw merchants' own code do wrong. */
export function findingJobs({ runOnce }: Findings): Job[] {
  return [{ event: 'findings_kept', everyMs: everyMs.tally, run: () => runOnce().then(() => 0) }]
}

/** A journal that has each call looked at for what it should not have carried. */
export function watchedBy(findings: Findings, journal: Journal): Journal {
  return Object.freeze<Journal>({
    ...journal,
    called(entry) {
      findings.saw(entry)
      journal.called(entry)
    },
  })
}

const fetchMs = 10_000
const pageBytesMax = 1_000_000
