import { cardsCheckContract } from '@tessera/contract/operations/cards'

import { whenDone } from '../awaitable.ts'
import { requireLiveCardRow } from '../domain/cards/find.ts'
import { renderCard } from '../domain/cards/render.ts'

import { operation } from './operation.ts'

/** Returns a card by its token. */
export const cardsCheck = operation(cardsCheckContract, {
  run: ({ token }, ctx, { cards }) =>
    whenDone(requireLiveCardRow(cards, token, ctx), (card) => ({ card: renderCard(card, token, ctx.profile) })),
})
