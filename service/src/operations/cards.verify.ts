import { RpcError } from '@tessera/contract/errors'
import { cardsVerifyContract } from '@tessera/contract/operations/cards'

import { renderCard } from '../domain/cards/render.ts'
import type { Verification } from '../domain/verification/verification.ts'
import type { CardRow } from '../store/cards.ts'

import { expectTokenShape, operation } from './operation.ts'

/** Checks the SMS code, and verifies the card if it is right. */
export const cardsVerify = operation(cardsVerifyContract, {
  check(params, _ctx, { verification }) {
    expectTokenShape(params)
    expectNumberOfCode(params.code, verification)
  },
  run({ token, code }, ctx, { verification }) {
    expectNumberOfCode(code, verification)
    return verification.verifyCode(token, code, ctx)
  },
  reconcile: ({ isExpired }, { token }, ctx, { verification }) => verification.reconcileCheck(token, isExpired, ctx),
  render: (card: CardRow, { token }, { profile }) => ({ card: renderCard(card, token, profile) }),
})

/** A JSON number with more digits than a code of any policy is no code at all. */
function expectNumberOfCode(code: string | number, { maxCodeLength }: Verification): void {
  if (typeof code === 'number' && String(code).length > maxCodeLength) throw new RpcError('memberInvalid', { data: 'code' })
}
