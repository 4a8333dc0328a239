import type { Cards } from '../cards/cards.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Wipes a card that one of the merchant's people pointed at. */
export function dashboardCardsRemove(cards: Cards): Row<'dashboard.cards.remove'>['run'] {
  return async ({ cardId }, call) => {
    await cards.removeById(cardId, askerOf(call))
    return { success: true }
  }
}
