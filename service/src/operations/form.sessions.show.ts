import { shortMask } from '@tessera/contract/card'
import { formSessionsShowContract } from '@tessera/contract/operations/form-sessions'

import { offeredCards } from '../domain/form-sessions/choices.ts'
import { formSessionStateOf } from '../domain/form-sessions/state.ts'

import { operation } from './operation.ts'

/** Returns the session to the form and to the hosted page: ids and masks of the cards that it offers, and no token. */
export const formSessionsShow = operation(formSessionsShowContract, {
  async run({ session }, ctx, app) {
    const row = await app.hosted.find(session, ctx.caller)
    const { state } = await formSessionStateOf(app, session, row, ctx)
    const offered = state === 'open' ? await offeredCards(app, row, ctx) : []
    return {
      state,
      expires_at: row.endsAt,
      return: row.returnTo,
      save: row.save,
      locale: row.locale,
      amount: row.amountTiyin === 0 ? null : row.amountTiyin,
      order: row.orderText === '' ? null : row.orderText,
      cards: offered.map(({ card: { cardId, maskedPan }, isExpired }) => {
        return { id: cardId, number: ctx.profile === 'spec' ? shortMask(maskedPan) : maskedPan, expired: isExpired }
      }),
      picked: row.picked === '' ? null : row.picked,
    }
  },
})
