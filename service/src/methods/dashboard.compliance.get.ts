import type { Evidence, TellEvidence } from '../compliance/evidence.ts'

import type { Row } from './method.ts'
import type { Result } from '@tessera/contract/methods'

/** Tells what the service can show of the merchant's own duties. */
export function dashboardComplianceGet(evidence: TellEvidence): Row<'dashboard.compliance.get'>['run'] {
  return async (_params, { caller }) => show(await evidence(caller))
}

function show({ disclosures, findings, settings, ...rest }: Evidence): Result<'dashboard.compliance.get'> {
  return {
    ...rest,
    settings: { ...settings, origins: [...settings.origins] },
    disclosures: [...disclosures],
    findings: findings.map(({ kind, seenBy, count, firstAt, lastAt, method, origin, requestId }) => ({
      ...{ kind, seenBy, count, firstAt, lastAt, method, origin, requestId },
    })),
  }
}
