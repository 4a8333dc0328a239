import type { PageCheck } from '../page-check/page-check.ts'

import type { Row } from './method.ts'
import { showReport } from './page-report-shown.ts'

/** Tells the last check of one page. */
export function dashboardPageCheckGet(check: PageCheck): Row<'dashboard.pageCheck.get'>['run'] {
  return async ({ page, locale }, { caller }) => {
    const report = await check.get(caller, page)
    return { report: report === null ? null : showReport(report, locale) }
  }
}
