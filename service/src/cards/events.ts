import type { CardEvent, EventType, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { CardRiders, CardRow, EventRow } from '../store/store.ts'

export type CardEventType = Extract<EventType, `card.${string}`>

/** What the merchant's webhook is told of a card: id and mask, never a token. `at` is unix milliseconds. */
export function cardEvent(type: CardEventType, card: CardRow, at: number): EventRow {
  const { bucket, merchantId, cardId: id, maskedPan: number, expiry, verified: verify, recurrent, customer } = card
  const told: CardEvent = { card: { id, number, expire: expiry, verify, recurrent }, customer }
  const event: WebhookEvent<CardEventType> = { type, timestamp: new Date(at).toISOString(), data: told }
  return { bucket, merchantId, eventId: issueId(bucket, at), type, objectId: id, at, body: JSON.stringify(event) }
}

/** The riders of a unit that its merchant hears of, whether an idempotency key rides along or not. */
export function telling(riders: CardRiders | null, event: EventRow): CardRiders {
  return { claim: riders?.claim ?? null, answer: riders?.answer ?? null, events: [event] }
}
