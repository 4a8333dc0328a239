import { formSessionsCancelContract } from '@tessera/contract/operations/form-sessions'

import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Records that the cardholder left the hosted page without a card. */
export const formSessionsCancel = operation(formSessionsCancelContract, {
  async run({ session }, ctx, app) {
    await app.hosted.find(session, ctx.caller)
    await app.hosted.cancel(session, ctx)
    const { state } = await formSessionStateOf(app, session, await app.hosted.find(session, ctx.caller), ctx)
    return { state }
  },
})
