import { cardsRemoveContract } from '@tessera/contract/operations/cards'

import { expectTokenShape } from './fine-limits.ts'
import { operation } from './operation.ts'

/** Shreds a card. Its token gets the error "deleted" from then on. */
export const cardsRemove = operation(cardsRemoveContract, {
  check: expectTokenShape,
  async run({ token }, ctx, { cards }) {
    await cards.remove(token, ctx)
    return 'removed' as const
  },
  render: () => ({ success: true }),
})
