import type { Result } from '@tessera/contract/operations'
import {
  dashboardComplianceEvidenceContract,
  dashboardComplianceGetContract,
  dashboardComplianceResponsibilitiesContract,
  dashboardConsentsListContract,
} from '@tessera/contract/operations/dashboard-compliance'

import type { Evidence } from '../domain/compliance/evidence.ts'
import { listResponsibilities } from '../domain/compliance/responsibilities.ts'
import type { ConsentView } from '../domain/consents/consents.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Returns the evidence that the service has for the merchant's own PCI DSS duties. */
export const dashboardComplianceGet = operation(dashboardComplianceGetContract, {
  run: async (_params, ctx, { evidence }) => toEvidenceResult(await evidence(ctx)),
})

/** Returns the evidence that the operator has published for the merchant. */
export const dashboardComplianceEvidence = operation(dashboardComplianceEvidenceContract, {
  run: async (_params, ctx, { merchantPacks }) => ({ evidence: await merchantPacks.find(ctx) }),
})

/** Returns the responsibility matrix: provider or merchant. */
export const dashboardComplianceResponsibilities = operation(dashboardComplianceResponsibilitiesContract, {
  run: async ({ locale }) => ({ rows: listResponsibilities(locale) }),
})

/** Lists the merchant's consents, newest first, with each text once a page. */
export const dashboardConsentsList = operation(dashboardConsentsListContract, {
  async run({ after, count = 25 }, { bucket, merchantId }, app) {
    const { consents, next } = await app.consents.newest({ bucket, merchantId }, { after: readCursor(after), count })
    return { consents: consents.map(toConsentItem), texts: textsOf(consents), next: formatCursor(next) }
  },
})

function toEvidenceResult({ disclosures, findings, settings, ...rest }: Evidence): Result<'dashboard.compliance.get'> {
  return {
    ...rest,
    settings: { ...settings, origins: [...settings.origins] },
    disclosures: [...disclosures],
    findings: findings.map(({ kind, seenBy, count, firstAt, lastAt, method, origin, requestId }) => {
      return { kind, seenBy, count, firstAt, lastAt, method, origin, requestId }
    }),
  }
}

type ConsentList = Result<'dashboard.consents.list'>

function toConsentItem(consent: ConsentView): ConsentList['consents'][number] {
  const { cardId, customer, maskedPan: number, cardState, by, version, locale, sha256, hasValidMac } = consent
  const [receivedAt, agreedAt, endedAt] = [Date.parse(consent.receivedAt), timestampOf(consent.agreedAt), timestampOf(consent.cardEndedAt)]
  return { cardId, customer, number, cardState, by, receivedAt, agreedAt, version, locale, sha256, endedAt, hasValidMac }
}

function timestampOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}

function textsOf(consents: readonly ConsentView[]): ConsentList['texts'] {
  const texts = new Map<string, ConsentList['texts'][number]>()
  for (const { version, locale, sha256, text } of consents) {
    if (version !== null && locale !== null && sha256 !== null && text !== null)
      texts.set(`${version} ${locale} ${sha256}`, { version, locale, sha256, text })
  }
  return [...texts.values()]
}
