import type { PageCheck } from '../page-check/page-check.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Keeps what somebody thinks of a script, and why. */
export function dashboardScriptsJudge(check: PageCheck): Row<'dashboard.scripts.judge'>['run'] {
  return async (judgement, call) => {
    await check.judge(call.caller, judgement, ownOf(call))
    return { success: true }
  }
}
