import { cardsCheckContract } from '@tessera/contract/operations/cards'

import { renderCard } from '../domain/cards/render.ts'

import { operation } from './operation.ts'

/** Returns a card by its token. */
export const cardsCheck = operation(cardsCheckContract, {
  async run({ token }, ctx, { cards }) {
    const { card } = await cards.requireLive(token, ctx)
    return { card: renderCard(card, token, ctx.profile) }
  },
})
