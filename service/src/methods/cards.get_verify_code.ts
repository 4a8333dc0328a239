import type { SentCode } from '../verification/sending.ts'
import type { Verification } from '../verification/verification.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Has an SMS code sent to the phone that the issuer knows; the message is in the caller's language. */
export function cardsGetVerifyCode(verification: Verification): Row<'cards.get_verify_code'>['run'] {
  return async ({ token }, call) => {
    return render(await verification.ask(token, askerOf(call, render), call.language))
  }
}

/** What became of a code that was asked for: the attempt tells. */
export function settleCardsGetVerifyCode(verification: Verification): NonNullable<Row<'cards.get_verify_code'>['settle']> {
  return async ({ subject, isExpired }, { token }, call) => {
    const sent = await verification.settleAsk(token, { attemptId: subject, isExpired }, askerOf(call))
    return sent === null ? null : render(sent)
  }
}

function render({ phoneMask, waitMs }: SentCode) {
  return { sent: true, phone: phoneMask, wait: waitMs }
}
