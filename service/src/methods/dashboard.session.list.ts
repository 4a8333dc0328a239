import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Lists the user's live sessions. */
export function dashboardSessionList({ sessions }: Dashboard): Row<'dashboard.session.list'>['run'] {
  return async (_params, call) => {
    const own = ownOf(call)
    const live = await sessions.list(own.userId)
    return {
      sessions: live.map(({ sessionId, createdAt, lastSeenAt, userAgent, address }) => {
        return { sessionId, current: sessionId === own.sessionId, createdAt, lastSeenAt, userAgent, address }
      }),
    }
  }
}
