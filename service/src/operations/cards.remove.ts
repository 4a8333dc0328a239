import { cardsRemoveContract } from '@tessera/contract/operations/cards'

import { requireLiveCard } from '../domain/cards/find.ts'
import { removeCard } from '../domain/cards/remove.ts'

import { expectTokenShape, operation } from './operation.ts'

/** Shreds a card. Its token gets the error "deleted" from then on. */
export const cardsRemove = operation(cardsRemoveContract, {
  check: expectTokenShape,
  async run({ token }, ctx, { cards }) {
    await removeCard(cards, () => requireLiveCard(cards, token, ctx), ctx)
    return 'removed' as const
  },
  render: () => ({ success: true }),
})
