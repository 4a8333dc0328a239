import type { Result } from '@tessera/contract/methods'

import { isFailure, type CodeEvent, type CodeLists } from '../dashboard/codes.ts'
import { wordOf } from '../dashboard/reason-word.ts'

import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'

type Attempt = Result<'dashboard.verification.list'>['attempts'][number]

/** Lists what became of codes, newest first. */
export function dashboardVerificationList(lists: CodeLists): Row<'dashboard.verification.list'>['run'] {
  return async ({ after, count = 25, failed = false }, { caller }) => {
    const { events, next } = await lists.list(caller, { after: readPlace(after), count, failed })
    return { attempts: events.map(showAttempt), next: writePlace(next) }
  }
}

function showAttempt(event: CodeEvent): Attempt {
  const { at, cardId, maskedPan, outcome, requestId } = event
  const cause = isFailure(event) ? wordOf(outcome) : null
  return { at, cardId, number: maskedPan, what: whatOf(event), cause, requestId }
}

function whatOf(event: CodeEvent): Attempt['what'] {
  if (event.action === 'card.verified') return 'verified'
  if (event.action === 'code.tried') return event.outcome === 'wrong_code' ? 'wrong' : 'refused'
  return isFailure(event) ? 'not_sent' : 'sent'
}
