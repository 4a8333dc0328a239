import { cardsRemoveContract } from '@tessera/contract/operations/cards'

import { expectTokenShape } from './fine-limits.ts'
import { operation } from './operation.ts'

/** Shreds a card. From then on its token gets the error "deleted". */
export const cardsRemove = operation(cardsRemoveContract, {
  check: expectTokenShape,
  async run({ token }, ctx, { cards }) {
    await cards.remove(token, ctx)
    return 'removed' as const
  },
  render: () => ({ success: true }),
})
