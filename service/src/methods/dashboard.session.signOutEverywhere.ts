import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf, visitorOf } from './signed-in.ts'

/** Ends every session of the user, this one too. */
export function dashboardSessionSignOutEverywhere({ sessions }: Dashboard): Row<'dashboard.session.signOutEverywhere'>['run'] {
  return async (_params, call) => {
    const ended = await sessions.end(ownOf(call), null)
    visitorOf(call).keepCookie(null)
    return { ended }
  }
}
