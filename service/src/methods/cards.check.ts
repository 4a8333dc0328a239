import type { Cards } from '../cards/cards.ts'
import { renderCard } from '../cards/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Tells a card by its token. */
export function cardsCheck(cards: Cards): Row<'cards.check'>['run'] {
  return async ({ token }, call) => {
    const { card } = await cards.find(token, askerOf(call))
    return { card: renderCard(card, token, call.profile) }
  }
}
