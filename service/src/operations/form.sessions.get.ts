import { formSessionsGetContract } from '@tessera/contract/operations/form-sessions'

import { renderCard } from '../domain/cards/render.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Returns the state of a hosted page to the merchant's server, with the token of a verified card. */
export const formSessionsGet = operation(formSessionsGetContract, {
  async run({ session }, ctx, app) {
    const row = await app.hosted.find(session, ctx.caller)
    const { state, done } = await formSessionStateOf(app, session, row, ctx)
    const card = done === null ? {} : { card: renderCard(done.card, done.token, ctx.profile) }
    return { state, expires_at: row.endsAt, ...card }
  },
})
