import type { CodeLists } from '../dashboard/codes.ts'

import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'

/** Lists the SMS of the sandbox. */
export function dashboardVerificationInbox(lists: CodeLists): Row<'dashboard.verification.inbox'>['run'] {
  return async ({ after, count = 25 }, { caller }) => {
    const { messages, next } = await lists.inbox(caller, { after: readPlace(after), count })
    return { messages: messages.map(({ id, at, phoneMask, text }) => ({ id, at, phone: phoneMask, text })), next: writePlace(next) }
  }
}
