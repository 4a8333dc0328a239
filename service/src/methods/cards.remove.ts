import type { Cards } from '../cards/cards.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Wipes a card; its token is answered "deleted" from then on. */
export function cardsRemove(cards: Cards): Row<'cards.remove'>['run'] {
  return async ({ token }, call) => {
    const render = () => ({ success: true })
    await cards.remove(token, askerOf(call, render))
    return render()
  }
}
