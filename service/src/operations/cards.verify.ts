import { cardsVerifyContract } from '@tessera/contract/operations/cards'

import { renderCard } from '../domain/cards/render.ts'
import type { CardRow } from '../store/cards.ts'

import { expectTokenShape, operation } from './operation.ts'

/** Checks the SMS code, and verifies the card if it is right. */
export const cardsVerify = operation(cardsVerifyContract, {
  check: expectTokenShape,
  run: ({ token, code }, ctx, { verification }) => verification.verifyCode(token, codeAsText(code), ctx),
  reconcile: ({ isExpired }, { token }, ctx, { verification }) => verification.reconcileCheck(token, isExpired, ctx),
  render: (card: CardRow, { token }, { profile }) => ({ card: renderCard(card, token, profile) }),
})

/** A code sent as a JSON number has lost its leading zeros. */
function codeAsText(code: string | number): string {
  return typeof code === 'number' ? String(code).padStart(6, '0') : code
}
