import { renderCard } from '../cards/render.ts'
import type { Verification } from '../verification/verification.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Takes the SMS code; right, the card is verified. */
export function cardsVerify(verification: Verification): Row<'cards.verify'>['run'] {
  return async ({ token, code }, call) => {
    const render = (card: Parameters<typeof renderCard>[0]) => ({ card: renderCard(card, token, call.profile) })
    return render(await verification.answer(token, codeAsText(code), askerOf(call, render)))
  }
}

/** What became of a code that the network was asked about: the card tells. */
export function settleCardsVerify(verification: Verification): NonNullable<Row<'cards.verify'>['settle']> {
  return async ({ isExpired }, { token }, call) => {
    const card = await verification.settleAnswer(token, isExpired, askerOf(call))
    return card === null ? null : { card: renderCard(card, token, call.profile) }
  }
}

/** A JSON number cannot carry leading zeros, so a short one has lost them on its way. */
function codeAsText(code: string | number): string {
  return typeof code === 'number' ? String(code).padStart(6, '0') : code
}
