import { eventTypes } from '@tessera/contract/event'
import { text, oneOfByMac, integer, timestamp, rowMac, readText, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { sql, withMany } from './statement.ts'
import { type Read, type Transaction, run, execute, deletedRowsMax } from './transaction.ts'

export interface EventListQuery extends MerchantKey {
  readonly from: number
  readonly count: number
}

// prettier-ignore
export const outboxTable = table('outbox', {
  bucket:     integer().key(),
  eventId:    text().key(),
  merchantId: text(),
  type:       oneOfByMac(...eventTypes),
  objectId:   text(),                // card or receipt id: events of one object are delivered in order
  at:         timestamp(),
  body:       text(),                // JSON: the body as it will be delivered
  mac:        rowMac(),
}, null, {
  position: 'counted by the statement that inserts the row, which has no keys; a changed one moves an authentic event before or behind others',
})

/** An event, stored together with its cause and delivered afterwards. Events of one object keep the order in which they were written. */
export type EventRow = RowOf<typeof outboxTable>

const selectNewest = sql`
  select ${outboxTable.columns} from outbox where bucket = $1 and merchant_id = $2 and at >= $3 order by at desc, event_id desc limit $4`

/** Events of a merchant that happened from `from` on, newest first. */
export function listEvents({ bucket, merchantId, from, count }: EventListQuery): Read<EventRow[]> {
  return { statement: selectNewest, values: [bucket, merchantId, from, count], map: (rows) => rows.map(outboxTable.fromRow) }
}

const deleteOld = sql`
  delete from outbox where (bucket, event_id) in (
    select o.bucket, o.event_id from outbox o
    where o.at < $1 and not exists
      (select 1 from deliveries d where d.bucket = o.bucket and d.event_id = o.event_id and d.due_at is not null)
    order by o.at limit ${deletedRowsMax})
  returning bucket, event_id`

const deleteDeliveries = sql`delete from deliveries where bucket = $1 and event_id = $2 returning event_id`

const deleteAttempts = sql`delete from delivery_attempts where bucket = $1 and event_id = $2 returning event_id`

/** Deletes a page of events from before a time, with their deliveries and attempts, except events with a waiting delivery; returns how many events. */
export function* deleteOldEvents({ before }: { readonly before: number }): Transaction<number> {
  const deleted = yield* run(deleteOld, [before])
  for (const row of deleted) {
    yield* execute(deleteDeliveries, [readInteger(row, 'bucket'), readText(row, 'event_id')])
    yield* execute(deleteAttempts, [readInteger(row, 'bucket'), readText(row, 'event_id')])
  }
  return deleted.length
}

// This transaction has locked the row of the event's object, so a concurrent one waits for it and then sees this event's position.
const insertEvent = withMany(
  sql`
  insert into outbox (bucket, merchant_id, event_id, type, object_id, at, body, mac, position)
  select cast($1 as integer), $2, $3, $4, $5, cast($6 as bigint), $7, $8, coalesce(max(position), 0) + 1 from outbox
  where bucket = $1 and object_id = $5`,
  `
  insert into outbox (bucket, merchant_id, event_id, type, object_id, at, body, mac, position)
  select e.bucket, e.merchant_id, e.event_id, e.type, e.object_id, e.at, e.body, e.mac,
    (select coalesce(max(o.position), 0) + 1 from outbox o where o.bucket = e.bucket and o.object_id = e.object_id)
  from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[])
    as e (bucket, merchant_id, event_id, type, object_id, at, body, mac)`,
  { columns: 8 },
)

// For every endpoint that the merchant has now, is enabled and gets this type; an endpoint added or enabled later gets only later events.
const insertDeliveriesSql = `
  insert into deliveries
    (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)`

/** Whether the endpoint `e` is enabled and gets events of a type. */
function wants(type: string): string {
  return `e.disabled_at = 0 and (e.types = '' or ' ' || e.types || ' ' like '% ' || cast(${type} as text) || ' %')`
}

const insertDeliveries = withMany(
  sql`
  ${insertDeliveriesSql}
  select e.bucket, e.endpoint_id, $2, e.merchant_id, $4, (select o.position from outbox o where o.bucket = e.bucket and o.event_id = $2),
    'waiting', 0, 0, cast($5 as bigint), '', cast($5 as bigint), 0
  from webhook_endpoints e where e.bucket = $1 and e.merchant_id = $3 and ${wants('$6')}`,
  `
  ${insertDeliveriesSql}
  select e.bucket, e.endpoint_id, n.event_id, e.merchant_id, n.object_id,
    (select o.position from outbox o where o.bucket = n.bucket and o.event_id = n.event_id), 'waiting', 0, 0, n.at, '', n.at, 0
  from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[]) as n (bucket, event_id, merchant_id, object_id, at, type)
  join webhook_endpoints e on e.bucket = n.bucket and e.merchant_id = n.merchant_id and ${wants('n.type')}`,
  { columns: 6 },
)

/** Inserts events, each after those of its object, and their deliveries to the merchant's endpoints. */
export function* insertEvents(events: readonly EventRow[]): Transaction<void> {
  for (const { bucket, merchantId, eventId, type, objectId, at, body, mac } of events) {
    yield* execute(insertEvent, [bucket, merchantId, eventId, type, objectId, at, body, mac])
    yield* execute(insertDeliveries, [bucket, eventId, merchantId, objectId, at, type])
  }
}
