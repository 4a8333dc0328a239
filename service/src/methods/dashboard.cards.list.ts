import type { CardLists } from '../dashboard/cards.ts'

import { showCard } from './card-shown.ts'
import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'

/** Lists the merchant's cards, newest first. */
export function dashboardCardsList(lists: CardLists): Row<'dashboard.cards.list'>['run'] {
  return async ({ after, count = 25, search = '' }, { caller }) => {
    const { cards, next } = await lists.list(caller, search, { after: readPlace(after), count })
    return { cards: cards.map(showCard), next: writePlace(next) }
  }
}
