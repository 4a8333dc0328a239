import { renderCard } from '../cards/render.ts'
import { stateOf, type StateParts } from '../form-sessions/state.ts'

import type { Row } from './method.ts'
import { askerOf } from './asker.ts'

/** Tells the merchant's server what came of the hosted page, with the token of a card that is verified. */
export function formSessionsGet(parts: StateParts): Row<'form.sessions.get'>['run'] {
  return async ({ session }, call) => {
    const row = await parts.hosted.find(session, call.caller)
    const { state, done } = await stateOf(parts, session, row, askerOf(call))
    const card = done === null ? {} : { card: renderCard(done.card, done.token, call.profile) }
    return { state, expires_at: row.endsAt, ...card }
  }
}
