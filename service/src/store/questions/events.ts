import { eventTypes } from '@tessera/contract/event'
import { integer, text, word } from '../column.ts'
import { sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, DeliveryKey, EventRow, EventsAsked, Replay, ToDeliver } from '../store.ts'
import { note, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { tellEndpoint } from './webhooks.ts'

const columns = 'bucket, merchant_id, event_id, type, object_id, at, body'

const selectToDeliver = sql`
  select o.merchant_id, o.event_id, o.type, o.object_id, o.at, o.body, o.bucket,
    e.endpoint_id, e.url, e.secret, e.secret_before, e.before_ends_at, e.created_at
  from outbox o left join webhook_endpoints e on e.bucket = o.bucket and e.merchant_id = o.merchant_id and e.endpoint_id = $2
  where o.bucket = $1 and o.event_id = $3 and o.merchant_id = $4`

/** What has to be sent, and where. */
export function findDelivery({ bucket, endpointId, eventId, merchantId }: DeliveryKey): Read<ToDeliver | null> {
  return {
    statement: selectToDeliver,
    values: [bucket, endpointId, eventId, merchantId],
    tell: ([row]) => (row === undefined ? null : { event: tellEvent(row), endpoint: row['url'] === null ? null : tellEndpoint(row) }),
  }
}

const selectNewest = sql`
  select ${columns} from outbox where bucket = $1 and merchant_id = $2 and at >= $3 order by at desc, event_id desc limit $4`

/** Events of a merchant that happened from `from` on, newest first. */
export function listEvents({ bucket, merchantId, from, count }: EventsAsked): Read<EventRow[]> {
  return { statement: selectNewest, values: [bucket, merchantId, from, count], tell: (found) => found.map(tellEvent) }
}

// Of each object of an endpoint it goes behind nothing: the oldest that waits is next. One that is under way is left alone.
const replayRows = sql`
  insert into deliveries
    (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
  select o.bucket, e.endpoint_id, o.event_id, o.merchant_id, o.object_id, o.position, 'waiting', 0, 0, cast($4 as bigint), '', o.at, 0
  from outbox o join webhook_endpoints e on e.bucket = o.bucket and e.merchant_id = o.merchant_id
  where o.bucket = $1 and o.event_id = $2 and o.merchant_id = $3 and e.endpoint_id = coalesce($5, e.endpoint_id)
  on conflict (bucket, endpoint_id, event_id) do update set state = 'waiting', tries = 0, due_at = excluded.due_at, claim_id = '', settled_at = 0
  where deliveries.due_at is null or deliveries.claim_id = ''
  returning endpoint_id`

/** Makes an event due again at the merchant's endpoints of now, or at one of them; tells at how many. */
export function* replayEvent({ replay, audit }: { replay: Replay; audit: AuditNote }): Unit<number> {
  const replayed = yield* rows(replayRows, [replay.bucket, replay.eventId, replay.merchantId, replay.now, replay.endpointId])
  if (replayed.length > 0) yield* note(audit)
  return replayed.length
}

const DROP_PAGE = 100
const dropOld = sql`
  delete from outbox where (bucket, event_id) in (
    select o.bucket, o.event_id from outbox o
    where o.at < $1 and not exists
      (select 1 from deliveries d where d.bucket = o.bucket and d.event_id = o.event_id and d.due_at is not null)
    order by o.at limit ${DROP_PAGE})
  returning bucket, event_id`
const dropDeliveries = sql`delete from deliveries where bucket = $1 and event_id = $2 returning event_id`
const dropAttempts = sql`delete from delivery_attempts where bucket = $1 and event_id = $2 returning event_id`

/** Drops a page of events that happened before a moment, with all that became of them; tells how many. */
export function* dropEvents(ask: { before: number }): Unit<number> {
  const dropped = yield* rows(dropOld, [ask.before])
  for (const row of dropped) {
    yield* rows(dropDeliveries, [integer(row, 'bucket'), text(row, 'event_id')])
    yield* rows(dropAttempts, [integer(row, 'bucket'), text(row, 'event_id')])
  }
  return dropped.length
}

function tellEvent(row: Row): EventRow {
  return {
    bucket: integer(row, 'bucket'),
    merchantId: text(row, 'merchant_id'),
    eventId: text(row, 'event_id'),
    type: word(row, 'type', eventTypes),
    objectId: text(row, 'object_id'),
    at: integer(row, 'at'),
    body: text(row, 'body'),
  }
}
