import { bucketOfId } from '@tessera/vault/id'
import { keyIdOf } from '@tessera/vault/seal'

import type { CardMac } from '../cards/mac.ts'
import { wayOf, type ToldConsent } from '../consents/consents.ts'
import type { Disclosures } from '../consents/disclosures.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { CardRow, ComplianceOf, Store } from '../store/store.ts'

import type { Finding, Findings } from './findings.ts'

/** What of the service is the same for every merchant. */
export interface ProviderFacts {
  readonly provider: { readonly name: string; readonly termsUrl: string | null; readonly privacyUrl: string | null }
  readonly form: { readonly version: string; readonly integrity: string }
}

export interface TokenEvidence {
  readonly made: number
  readonly looked: number
  readonly sealed: number
  readonly emptied: number
  readonly changed: number
}

/** What the service can show of a merchant's duties: facts, and no verdict. */
export interface Evidence extends ProviderFacts {
  readonly tokens: TokenEvidence
  readonly consents: Readonly<Record<ToldConsent['by'], number>>
  readonly settings: {
    readonly origins: readonly string[]
    readonly requireFormSessions: boolean
    readonly strictServerAuth: boolean
    readonly livePasswords: number
  }
  readonly disclosures: Disclosures['today']
  readonly findings: readonly Finding[]
}

export interface EvidenceParts {
  readonly store: Pick<Store, 'listCards' | 'findTallies'>
  readonly mac: Pick<CardMac, 'isTrue'>
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly disclosures: Pick<Disclosures, 'today'>
  readonly findings: Pick<Findings, 'list'>
  readonly facts: ProviderFacts
}

export type TellEvidence = (of: ComplianceOf) => Promise<Evidence>

/** Looks at the newest cards as they lie in the store, and at what is agreed with the merchant at this moment. */
export function makeEvidence({ store, mac, merchants, disclosures, findings, facts }: EvidenceParts): TellEvidence {
  return async ({ bucket, merchantId }) => {
    const of = { bucket, merchantId }
    const [listed, tallies, merchant, found] = await Promise.all([
      store.listCards({ ...of, after: null, count: looksMax, by: null }),
      store.findTallies(of),
      merchants.find(merchantId),
      findings.list(of),
    ])
    const cards = listed.filter((card): card is CardRow => !('brokenAt' in card))
    const areTrue = await Promise.all(cards.map(async (card) => mac.isTrue(card)))
    const isOwn = (card: CardRow, at: number): boolean => areTrue[at] === true && bucketOfId(card.cardId) === bucket
    return {
      ...facts,
      tokens: {
        made: Math.max(tallies.find(({ name }) => name === 'created')?.count ?? 0, listed.length),
        looked: listed.length,
        sealed: cards.filter(({ blob, keyId }) => blob.length > 0 && keyIdOf(blob) === keyId).length,
        emptied: cards.filter(({ blob }) => blob.length === 0).length,
        changed: listed.length - cards.filter(isOwn).length,
      },
      consents: countWays(cards),
      settings: {
        origins: merchant?.settings.origins ?? [],
        requireFormSessions: merchant?.settings.requireFormSessions ?? false,
        strictServerAuth: merchant?.settings.strictServerAuth ?? false,
        livePasswords: merchant?.row.credentials.filter(({ retiredAt }) => retiredAt === null).length ?? 0,
      },
      disclosures: disclosures.today,
      findings: found,
    }
  }
}

function countWays(cards: readonly CardRow[]): Evidence['consents'] {
  const counts = { form: 0, page: 0, server: 0, merchant: 0, unknown: 0 }
  for (const card of cards) {
    const way = wayOf(card)
    if (way !== null) counts[way]++
  }
  return counts
}

const looksMax = 200
