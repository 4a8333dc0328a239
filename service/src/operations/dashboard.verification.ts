import { toTimeRange } from '@tessera/contract/calendar-day'
import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardVerificationFunnelContract,
  dashboardVerificationGetContract,
  dashboardVerificationInboxContract,
  dashboardVerificationListContract,
} from '@tessera/contract/operations/dashboard-verification'

import { isPeriod } from '../domain/reporting/daily-totals.ts'
import { toReasonCode } from '../domain/reporting/reason-code.ts'
import { codeOutcomeOf, isFailure } from '../domain/reporting/code-outcome.ts'
import type { CardCodeEvent } from '../domain/reporting/verification-codes.ts'

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
  async run({ after, count = 25, from = 0, to = Number.MAX_SAFE_INTEGER, outcome, card, phone }, ctx, { codeLists }) {
    const conditions = { from, to, outcome: outcome ?? null, card: card ?? null, phone: phone ?? null }
    const { events, next, isPartial } = await codeLists.list(ctx, { after: readCursor(after), count, ...conditions })
    return { attempts: events.map(toAttempt), next: formatCursor(next), isPartial }
  },
})

/** Returns the story of one code. */
export const dashboardVerificationGet = operation(dashboardVerificationGetContract, {
  async run(code, ctx, { findCodeStory }) {
    const { maskedPan, phoneMask, steps, ...story } = await findCodeStory(ctx, code)
    return { ...story, number: maskedPan, phone: phoneMask, steps: [...steps] }
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
  return { at, cardId, number: maskedPan, what: codeOutcomeOf(event), cause, requestId }
}

const funnelDaysMax = 366
