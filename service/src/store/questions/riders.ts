import { sql } from '../statement.ts'
import type { CardRiders, EventRow } from '../store.ts'
import { rows, undo } from '../unit.ts'
import type { Unit } from '../unit.ts'
import { answerKey, claimKey, releaseKey } from './idempotency.ts'

/**
 * Runs a unit with its riders. The key is claimed before anything else: when it is taken, the unit is not begun and the answer is `twin`.
 * Answer and events are kept with an effect only; where there was none, the claim is let go.
 */
export function* carry<T>(riders: CardRiders | null, unit: Unit<T>, isEffect: (answer: T) => boolean): Unit<T | 'twin'> {
  if (riders === null) return yield* unit
  const { claim, answer, events } = riders
  if (claim !== null && !(yield* claimKey(claim, answer))) {
    yield* undo()
    return 'twin'
  }

  const done = yield* unit
  if (!isEffect(done)) {
    if (claim !== null) yield* releaseKey(claim)
    return done
  }
  if (claim === null) yield* answerKey(answer)
  yield* keepEvents(events)
  return done
}

// Whoever tells of an object has changed its row in this unit, so that the next to tell of it waits, and then sees this event's place.
const insertEvent = sql`
  insert into outbox (bucket, merchant_id, event_id, type, object_id, at, body, position)
  select cast($1 as integer), $2, $3, $4, $5, cast($6 as bigint), $7, coalesce(max(position), 0) + 1 from outbox
  where bucket = $1 and object_id = $5`

// To every endpoint that the merchant has at this moment; one that comes later hears of later events.
const insertDeliveries = sql`
  insert into deliveries
    (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
  select o.bucket, e.endpoint_id, o.event_id, o.merchant_id, o.object_id, o.position, 'waiting', 0, 0, o.at, '', o.at, 0
  from outbox o join webhook_endpoints e on e.bucket = o.bucket and e.merchant_id = o.merchant_id
  where o.bucket = $1 and o.event_id = $2`

/** Puts events into the outbox, each behind those of its object, and on their way to the merchant's endpoints. */
export function* keepEvents(events: readonly EventRow[]): Unit<void> {
  for (const { bucket, merchantId, eventId, type, objectId, at, body } of events) {
    yield* rows(insertEvent, [bucket, merchantId, eventId, type, objectId, at, body])
    yield* rows(insertDeliveries, [bucket, eventId])
  }
}
