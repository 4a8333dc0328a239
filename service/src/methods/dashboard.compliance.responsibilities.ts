import { tellResponsibilities } from '../compliance/responsibilities.ts'

import type { Row } from './method.ts'

/** Tells who does what, the provider and the merchant. */
export function dashboardComplianceResponsibilities(): Row<'dashboard.compliance.responsibilities'>['run'] {
  return async ({ locale }) => ({ rows: tellResponsibilities(locale) })
}
