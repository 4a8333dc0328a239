import { RpcError } from '@tessera/contract/errors'

import type { PageCheck } from '../page-check/page-check.ts'

import type { Row } from './method.ts'
import { showReport } from './page-report-shown.ts'
import { ownOf } from './signed-in.ts'

/** Checks a page of the merchant's: of an address, or as it was pasted. */
export function dashboardPageCheckRun(check: PageCheck): Row<'dashboard.pageCheck.run'>['run'] {
  return async ({ url, html, locale }, call) => {
    if ((url === undefined) === (html === undefined)) throw new RpcError('memberInvalid', { data: 'url' })
    const asked = url === undefined ? { html: html ?? '' } : { url }
    return showReport(await check.run(call.caller, asked, ownOf(call), call.signal), locale)
  }
}
