import type { Result } from '@tessera/contract/methods'

import type { NewestConsents, ToldConsent } from '../consents/consents.ts'

import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'

/** Lists the merchant's consents, newest first; each text is told once a page. */
export function dashboardConsentsList(consents: NewestConsents): Row<'dashboard.consents.list'>['run'] {
  return async ({ after, count = 25 }, { caller: { bucket, merchantId } }) => {
    const page = await consents.newest({ bucket, merchantId }, { after: readPlace(after), count })
    return { consents: page.consents.map(show), texts: textsOf(page.consents), next: writePlace(page.next) }
  }
}

type Shown = Result<'dashboard.consents.list'>

function show(told: ToldConsent): Shown['consents'][number] {
  const { cardId, customer, maskedPan: number, cardState, by, version, locale, sha256, isTrue } = told
  const [receivedAt, agreedAt, endedAt] = [Date.parse(told.receivedAt), read(told.agreedAt), read(told.cardEndedAt)]
  return { cardId, customer, number, cardState, by, receivedAt, agreedAt, version, locale, sha256, endedAt, isTrue }
}

function read(moment: string | null): number | null {
  return moment === null ? null : Date.parse(moment)
}

function textsOf(consents: readonly ToldConsent[]): Shown['texts'] {
  const texts = new Map<string, Shown['texts'][number]>()
  for (const { version, locale, sha256, text } of consents) {
    if (version !== null && locale !== null && sha256 !== null && text !== null)
      texts.set(`${version} ${locale} ${sha256}`, { version, locale, sha256, text })
  }
  return [...texts.values()]
}
