import { cardsCheckContract } from '@tessera/contract/operations/cards'

import { requireLiveCard } from '../domain/cards/find.ts'
import { renderCard } from '../domain/cards/render.ts'

import { operation } from './operation.ts'

/** Returns a card by its token. */
export const cardsCheck = operation(cardsCheckContract, {
  async run({ token }, ctx, { cards }) {
    const { card } = await requireLiveCard(cards, token, ctx)
    return { card: renderCard(card, token, ctx.profile) }
  },
})
