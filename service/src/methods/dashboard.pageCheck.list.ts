import type { PageCheck } from '../page-check/page-check.ts'

import type { Row } from './method.ts'

/** Lists the last check of each page. */
export function dashboardPageCheckList(check: PageCheck): Row<'dashboard.pageCheck.list'>['run'] {
  return async (_params, { caller }) => ({
    checks: (await check.list(caller)).map(({ page, checkedAt, errors, warnings }) => ({ page, checkedAt, errors, warnings })),
  })
}
