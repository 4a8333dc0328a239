import type { CardEvent, EventType, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { AuditEntry } from '../../store/audit.ts'
import type { CardRow } from '../../store/cards.ts'
import type { RequestContext } from '../request-context.ts'
import type { TransactionExtras } from '../../store/extras.ts'
import type { EventRow } from '../../store/outbox.ts'

import { withSlash } from './render.ts'

/** Action and outcome, at `at` (Unix milliseconds). Contains no values that a caller sent. */
export interface CardAction {
  readonly at: number
  readonly action: string
  readonly outcome: string
  readonly changes?: NonNullable<AuditEntry['changes']>
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
    address: ctx.address,
  }
}

/** The audit entry of a change by a background job: sweep and reseal. */
export function systemCardChangeEntry(changed: CardRow, action: CardAction): AuditEntry {
  const { merchantId, cardId, version, mac } = changed
  return { ...action, actor: 'system', merchantId, subject: cardId, version, mac, requestId: '' }
}

export type CardEventType = Extract<EventType, `card.${string}`>

/** The event of a card for the merchant's webhook, without its MAC: id and mask, never a token, in the form of the subscribe profile. `at` is Unix milliseconds. */
export function cardEvent(type: CardEventType, card: CardRow, at: number): EventRow {
  const { bucket, merchantId, cardId: id, maskedPan: number, expiry, verified: verify, recurrent, customer } = card
  const data: CardEvent = { card: { id, number, expire: withSlash(expiry), verify, recurrent }, customer }
  const event: WebhookEvent<CardEventType> = { type, timestamp: new Date(at).toISOString(), data }
  return { bucket, merchantId, eventId: issueId(bucket, at), type, objectId: id, at, body: JSON.stringify(event), mac: new Uint8Array(0) }
}

/** The extras of a transaction, with an event for the merchant. */
export function extrasWithEvent(extras: TransactionExtras, event: EventRow): TransactionExtras {
  return { ...extras, events: [event] }
}
