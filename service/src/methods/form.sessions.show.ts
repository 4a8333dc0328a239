import { stateOf, type StateParts } from '../form-sessions/state.ts'

import type { Row } from './method.ts'
import { askerOf } from './asker.ts'

/** Tells the hosted page what its session is for, and no card. */
export function formSessionsShow(parts: StateParts): Row<'form.sessions.show'>['run'] {
  return async ({ session }, call) => {
    const row = await parts.hosted.find(session, call.caller)
    const { state } = await stateOf(parts, session, row, askerOf(call))
    return { state, expires_at: row.endsAt, return: row.returnTo, save: row.save, locale: row.locale }
  }
}
