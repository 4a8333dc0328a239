import { formSessionsShowContract } from '@tessera/contract/operations/form-sessions'

import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Returns the session to the hosted page, without card data. */
export const formSessionsShow = operation(formSessionsShowContract, {
  async run({ session }, ctx, app) {
    const row = await app.hosted.find(session, ctx.caller)
    const { state } = await formSessionStateOf(app, session, row, ctx)
    return { state, expires_at: row.endsAt, return: row.returnTo, save: row.save, locale: row.locale }
  },
})
