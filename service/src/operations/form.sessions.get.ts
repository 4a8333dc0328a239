import { formSessionsGetContract } from '@tessera/contract/operations/form-sessions'

import { renderCard } from '../domain/cards/render.ts'
import { readIds } from '../domain/form-sessions/choices.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Returns the state of a session to the merchant's server, with the token of a card verified on the hosted page, and what the payer chose. */
export const formSessionsGet = operation(formSessionsGetContract, {
  async run({ session }, ctx, app) {
    const row = await app.hosted.find(session, ctx.caller)
    const { state, done } = await formSessionStateOf(app, session, row, ctx)
    const card = done === null ? {} : { card: renderCard(done.card, done.token, ctx.profile) }
    const picked = row.picked === '' ? {} : { picked: row.picked }
    const removals = row.removals === '' ? {} : { removals: [...readIds(row.removals)] }
    return { state, expires_at: row.endsAt, ...card, ...picked, ...removals }
  },
})
