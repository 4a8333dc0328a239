import type { AuditEntry } from '../../store/audit.ts'
import type { CardRow } from '../../store/cards.ts'

import type { RequestContext } from '../request-context.ts'

/** Action and outcome, at `at` (Unix milliseconds). Contains no values that a caller sent. */
export interface CardAction {
  readonly at: number
  readonly action: string
  readonly outcome: string
}

/** The audit entry of a change that a caller requested; `changed` is the row after it. */
export function cardChangeEntry(ctx: RequestContext, changed: CardRow, action: CardAction): AuditEntry {
  return { ...cardActionEntry(ctx, changed.cardId, action), version: changed.version, mac: changed.mac }
}

/** The audit entry of an action that does not change the card's row. */
export function cardActionEntry(ctx: RequestContext, cardId: string, action: CardAction): AuditEntry {
  return {
    ...action,
    actor: ctx.actor,
    merchantId: ctx.merchantId,
    subject: cardId,
    version: 0,
    mac: new Uint8Array(0),
    requestId: ctx.requestId,
  }
}

/** The audit entry of a change by a background job: sweep and reseal. */
export function systemCardChangeEntry(changed: CardRow, action: CardAction): AuditEntry {
  const { merchantId, cardId, version, mac } = changed
  return { ...action, actor: 'system', merchantId, subject: cardId, version, mac, requestId: '' }
}
