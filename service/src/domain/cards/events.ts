import type { CardEvent, EventType, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { CardRow } from '../../store/cards.ts'
import type { TransactionExtras } from '../../store/extras.ts'
import type { EventRow } from '../../store/outbox.ts'

import { withSlash } from './render.ts'

export type CardEventType = Extract<EventType, `card.${string}`>

/** The event of a card for the merchant's webhook: id and mask, never a token, in the form of the subscribe profile. `at` is Unix milliseconds. */
export function cardEvent(type: CardEventType, card: CardRow, at: number): EventRow {
  const { bucket, merchantId, cardId: id, maskedPan: number, expiry, verified: verify, recurrent, customer } = card
  const data: CardEvent = { card: { id, number, expire: withSlash(expiry), verify, recurrent }, customer }
  const event: WebhookEvent<CardEventType> = { type, timestamp: new Date(at).toISOString(), data }
  return { bucket, merchantId, eventId: issueId(bucket, at), type, objectId: id, at, body: JSON.stringify(event) }
}

/** The extras of a transaction, with an event for the merchant. */
export function extrasWithEvent(extras: TransactionExtras, event: EventRow): TransactionExtras {
  return { ...extras, events: [event] }
}
