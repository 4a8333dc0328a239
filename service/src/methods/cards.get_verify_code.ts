import type { Verification } from '../verification/verification.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Has an SMS code sent to the phone that the issuer knows; the message is in the caller's language. */
export function cardsGetVerifyCode(verification: Verification): Row<'cards.get_verify_code'>['run'] {
  return async ({ token }, call) => {
    const { phoneMask, waitMs } = await verification.ask(token, askerOf(call), call.language)
    return { sent: true, phone: phoneMask, wait: waitMs }
  }
}
