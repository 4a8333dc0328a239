import { RpcError } from '@tessera/contract/errors'

import type { Cards } from '../cards/cards.ts'
import { renderCard } from '../cards/render.ts'

import type { Row } from './method.ts'
import { askerOf } from './asker.ts'

/** Turns a card into a token of the calling merchant. The card number comes beside the params, as bytes. */
export function cardsCreate(cards: Cards): Row<'cards.create'>['run'] {
  return async (params, call) => {
    if (call.cardNumber === null) throw new RpcError('memberMissing', { data: 'card.number' })
    const asked = {
      number: call.cardNumber,
      expire: params.card.expire,
      save: params.save ?? false,
      customer: params.customer ?? null,
      account: params.account ?? null,
      consent: params.consent ?? null,
    }
    const { card, token } = await cards.create(asked, askerOf(call))
    return { card: renderCard(card, token, call.profile) }
  }
}
