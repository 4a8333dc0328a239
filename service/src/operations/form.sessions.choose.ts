import { formSessionsChooseContract } from '@tessera/contract/operations/form-sessions'

import { recordChoice } from '../domain/form-sessions/choices.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Records which of the offered cards the payer picked, or asked to remove. */
export const formSessionsChoose = operation(formSessionsChooseContract, {
  async run({ session, id: cardId, action, form = null }, ctx, app) {
    const formOrigin = form === null ? null : await app.formDocuments.originOf(ctx.merchantId, form)
    const row = await app.hosted.find(session, ctx.caller)
    const { actor, requestId, address, origin: from, caller } = ctx
    await app.sessions.requirePage(row, { ...caller, actor, requestId, address, isServer: caller.kind === 'server', from, formOrigin })
    const chosen = await recordChoice(app, session, { cardId, action }, ctx)
    const { state } = await formSessionStateOf(app, session, chosen, ctx)
    return { state }
  },
})
