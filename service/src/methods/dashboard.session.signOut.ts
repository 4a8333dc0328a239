import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf, visitorOf } from './signed-in.ts'

/** Ends this session, or another one of the same user. */
export function dashboardSessionSignOut({ sessions }: Dashboard): Row<'dashboard.session.signOut'>['run'] {
  return async ({ sessionId }, call) => {
    const own = ownOf(call)
    const ended = await sessions.end(own, sessionId ?? own.sessionId)
    if ((sessionId ?? own.sessionId) === own.sessionId) visitorOf(call).keepCookie(null)
    return { success: ended > 0 }
  }
}
