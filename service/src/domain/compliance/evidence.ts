import { bucketOfId } from '@tessera/vault/id'
import { keyIdOf } from '@tessera/vault/seal'
import type { RowAuthenticator } from '@tessera/vault/rowmac'

import { consentSourceOf, type ConsentView } from '../consents/consents.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import type { MerchantCache } from '../merchants/merchant-cache.ts'
import { type CardRow, listCards } from '../../store/cards.ts'
import { listAllTimeCounters } from '../../store/counters.ts'
import type { MerchantKey } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'

import type { ComplianceFinding, ComplianceFindings } from './findings.ts'

/** Provider details that are the same for every merchant. */
export interface ProviderDetails {
  readonly provider: { readonly name: string; readonly termsUrl: string | null; readonly privacyUrl: string | null }
  readonly form: { readonly version: string; readonly integrity: string }
}

export interface TokenEvidence {
  readonly created: number
  readonly checked: number
  readonly sealed: number
  readonly wiped: number
  readonly changed: number
}

/** Evidence about a merchant's responsibilities: data, not a verdict. */
export interface Evidence extends ProviderDetails {
  readonly tokens: TokenEvidence
  readonly consents: Readonly<Record<ConsentView['by'], number>>
  readonly settings: {
    readonly origins: readonly string[]
    readonly requireFormSessions: boolean
    readonly strictServerAuth: boolean
    readonly activePasswords: number
  }
  readonly disclosures: Disclosures['today']
  readonly findings: readonly ComplianceFinding[]
}

export interface EvidenceDependencies {
  readonly store: Pick<Store, 'read'>
  readonly mac: Pick<RowAuthenticator<CardRow>, 'hasValidMac'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly disclosures: Pick<Disclosures, 'today'>
  readonly findings: Pick<ComplianceFindings, 'list'>
  readonly details: ProviderDetails
}

export type CollectEvidence = (of: MerchantKey) => Promise<Evidence>

/** Collects evidence from the newest stored cards and the merchant's current settings. */
export function makeEvidenceCollector({ store, mac, merchants, disclosures, findings, details }: EvidenceDependencies): CollectEvidence {
  return async ({ bucket, merchantId }) => {
    const of = { bucket, merchantId }
    const [listed, counters, merchant, found] = await Promise.all([
      store.read(listCards({ ...of, after: null, count: maxCards, by: null })),
      store.read(listAllTimeCounters(of)),
      merchants.find(merchantId),
      findings.list(of),
    ])
    const cards = listed.filter((card): card is CardRow => !('brokenAt' in card))
    const hasValidMacs = await Promise.all(cards.map(async (card) => mac.hasValidMac(card)))
    const isOwn = (card: CardRow, at: number): boolean => hasValidMacs[at] === true && bucketOfId(card.cardId) === bucket
    return {
      ...details,
      tokens: {
        created: Math.max(counters.find(({ name }) => name === 'created')?.count ?? 0, listed.length),
        checked: listed.length,
        sealed: cards.filter(({ blob, keyId }) => blob.length > 0 && keyIdOf(blob) === keyId).length,
        wiped: cards.filter(({ blob }) => blob.length === 0).length,
        changed: listed.length - cards.filter(isOwn).length,
      },
      consents: countConsentSources(cards),
      settings: {
        origins: merchant?.settings.origins ?? [],
        requireFormSessions: merchant?.settings.requireFormSessions ?? false,
        strictServerAuth: merchant?.settings.strictServerAuth ?? false,
        activePasswords: merchant?.row.credentials.filter(({ retiredAt }) => retiredAt === null).length ?? 0,
      },
      disclosures: disclosures.today,
      findings: found,
    }
  }
}

function countConsentSources(cards: readonly CardRow[]): Evidence['consents'] {
  const counts = { form: 0, page: 0, server: 0, merchant: 0, unknown: 0 }
  for (const card of cards) {
    const source = consentSourceOf(card)
    if (source !== null) counts[source]++
  }
  return counts
}

const maxCards = 200
