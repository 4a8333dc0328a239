import { stateOf, type StateParts } from '../form-sessions/state.ts'

import type { Row } from './method.ts'
import { askerOf } from './asker.ts'

/** Notes that the cardholder turned back on the hosted page. */
export function formSessionsCancel(parts: StateParts): Row<'form.sessions.cancel'>['run'] {
  return async ({ session }, call) => {
    await parts.hosted.find(session, call.caller)
    await parts.hosted.cancel(session, askerOf(call))
    const { state } = await stateOf(parts, session, await parts.hosted.find(session, call.caller), askerOf(call))
    return { state }
  }
}
