import { toTimeRange } from '@tessera/contract/calendar-day'
import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardVerificationFunnelContract,
  dashboardVerificationInboxContract,
  dashboardVerificationListContract,
} from '@tessera/contract/operations/dashboard-verification'

import { isPeriod } from '../domain/reporting/daily-totals.ts'
import { toReasonCode } from '../domain/reporting/reason-code.ts'
import { isFailure, type CardCodeEvent } from '../domain/reporting/verification-codes.ts'

import { formatCursor, readCursor } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Returns the verification funnel of a period. */
export const dashboardVerificationFunnel = operation(dashboardVerificationFunnelContract, {
  async run(period, ctx, { codeLists }) {
    if (!isPeriod(period, funnelDaysMax)) throw new RpcError('memberInvalid', { data: 'to' })
    return codeLists.funnel(ctx, toTimeRange(period))
  },
})

/** Lists the outcomes of codes, newest first. */
export const dashboardVerificationList = operation(dashboardVerificationListContract, {
  async run({ after, count = 25, failed = false }, ctx, { codeLists }) {
    const { events, next } = await codeLists.list(ctx, { after: readCursor(after), count, failed })
    return { attempts: events.map(toAttempt), next: formatCursor(next) }
  },
})

/** Lists the SMS of the sandbox. */
export const dashboardVerificationInbox = operation(dashboardVerificationInboxContract, {
  async run({ after, count = 25 }, ctx, { codeLists }) {
    const { messages, next } = await codeLists.inbox(ctx, { after: readCursor(after), count })
    return { messages: messages.map(({ id, at, phoneMask, text }) => ({ id, at, phone: phoneMask, text })), next: formatCursor(next) }
  },
})

type VerificationAttemptItem = Result<'dashboard.verification.list'>['attempts'][number]

function toAttempt(event: CardCodeEvent): VerificationAttemptItem {
  const { at, cardId, maskedPan, outcome, requestId } = event
  const cause = isFailure(event) ? toReasonCode(outcome) : null
  return { at, cardId, number: maskedPan, what: whatOf(event), cause, requestId }
}

function whatOf(event: CardCodeEvent): VerificationAttemptItem['what'] {
  if (event.action === 'card.verified') return 'verified'
  if (event.action === 'code.attempted') return event.outcome === 'wrong_code' ? 'wrong' : 'refused'
  return isFailure(event) ? 'not_sent' : 'sent'
}

const funnelDaysMax = 366
