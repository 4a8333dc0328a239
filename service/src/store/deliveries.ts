import type { AuditEntry } from './audit.ts'
import { text, oneOfOr, integer, timestamp, readText, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { type EventRow, outboxTable } from './outbox.ts'
import { isOwnedBy, type Row, type Value, sql } from './statement.ts'
import { type Read, type Transaction, run, runOne, writeAudit, execute } from './transaction.ts'
import { type EndpointKey, type EndpointRow, webhookEndpointsTable } from './webhook-endpoints.ts'

export interface DeliveryKey extends EndpointKey {
  readonly eventId: string
}

// prettier-ignore
export const deliveriesTable = table('deliveries', {
  bucket:        integer().key(),
  endpointId:    text().key(),
  eventId:       text().key(),
  merchantId:    text(),
  objectId:      text(),
  position:      integer(),
  state:         oneOfOr('dead', 'waiting', 'delivered'), // what is due is decided by `dueAt`
  attempts:      integer().named('tries'),          // started since it was created or last replayed
  totalAttempts: integer().named('attempts'),       // started ever
  dueAt:         timestamp().nullable(),            // when it is attempted next, or the end of a claim's lease; null: never
  createdAt:     timestamp().named('made_at'),
  finishedAt:    timestamp().named('settled_at'),   // 0 while it waits
}, 'bound by the MACs of its event and its endpoint, which have to be of one merchant and object', {
  claim_id: 'who attempts it now: a changed one ends the claim, and the delivery is attempted again',
})

/** The delivery of one event to one endpoint. */
export type DeliveryRow = RowOf<typeof deliveriesTable>

/** A delivery in a list, with the type of its event as it is stored: any text, or null where the event is gone, before the event's MAC is compared. */
export interface ListedDelivery extends DeliveryRow {
  readonly type: string | null
}

export interface DeliveryPageQuery extends MerchantKey {
  readonly after: Pick<DeliveryRow, 'createdAt' | 'eventId' | 'endpointId'> | null
  /** Null for every state. */
  readonly state: DeliveryRow['state'] | null
  readonly count: number
}

export interface DueDelivery {
  readonly event: EventRow
  /** Null when it was deleted. */
  readonly endpoint: EndpointRow | null
}

// prettier-ignore
export const deliveryAttemptsTable = table('delivery_attempts', {
  bucket:     integer(),
  endpointId: text(),
  eventId:    text(),
  number:     integer(),
  at:         timestamp(),
  tookMs:     integer(),
  outcome:    text(),
  status:     integer(),
  replyHeaders: text(), // of a reply from the public internet, without credentials; '' where nothing is stored
  replyBody:    text(), // its beginning, without card numbers
}, 'shown and counted only: nothing is decided by these rows')

/** One attempt: an outcome code, the HTTP status (0 without one), and the beginning of the endpoint's response. */
export type DeliveryAttemptRow = RowOf<typeof deliveryAttemptsTable>

export interface DeliveryAttemptResult {
  readonly claimId: string
  readonly attempt: DeliveryAttemptRow
  readonly now: number
  readonly state: DeliveryRow['state']
  /** When it is attempted again; null when it is `delivered` or `dead`. */
  readonly dueAt: number | null
}

export interface EventReplay extends MerchantKey {
  readonly eventId: string
  /** Null for all endpoints of the merchant. */
  readonly endpointId: string | null
  readonly now: number
}

/** Compares two deliveries `e` and `d` of one endpoint and object: `e` is the older one. */
export const isAhead = 'e.bucket = d.bucket and e.endpoint_id = d.endpoint_id and e.object_id = d.object_id and e.position < d.position'

const updateDelivery = sql`
  update deliveries set state = $4, due_at = $5, settled_at = $6, claim_id = ''
  where bucket = $1 and endpoint_id = $2 and event_id = $3 and claim_id = $7 and coalesce(due_at, -1) >= 0
  returning object_id, position`

const insertAttempt = sql`
  ${deliveryAttemptsTable.insertSql}`

const makeNextDue = sql`
  update deliveries set due_at = case when due_at > $4 then $4 else due_at end
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and coalesce(due_at, -1) >= 0 and claim_id = '' returning event_id`

const postponeNext = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and coalesce(due_at, -1) >= 0 and position > $5 and claim_id = '' returning event_id`

/** Records an attempt and the next state of the delivery and of those behind it. Returns null and writes nothing when another process has claimed it. */
export function* recordDeliveryAttempt({
  claimId,
  attempt,
  now,
  state,
  dueAt,
}: DeliveryAttemptResult): Transaction<RecordedAttempt | null> {
  const finishedAt = dueAt === null ? now : 0
  const updated = yield* runOne(updateDelivery, [...keyValues(attempt), state, dueAt, finishedAt, claimId])
  if (updated === null) return null
  yield* execute(insertAttempt, deliveryAttemptsTable.toValues(attempt))
  const object = [attempt.bucket, attempt.endpointId, readText(updated, 'object_id')]
  if (dueAt === null) return { hasNext: (yield* run(makeNextDue, [...object, now])).length > 0 }
  yield* run(postponeNext, [...object, dueAt, readInteger(updated, 'position')])
  return { hasNext: false }
}

export interface RecordedAttempt {
  /** Whether the next event of the same object is due now. */
  readonly hasNext: boolean
}

const selectOfEvent = sql`select ${deliveriesTable.columns} from deliveries where bucket = $1 and event_id = $2 order by endpoint_id`

export function listDeliveries(of: { bucket: number; eventId: string }): Read<DeliveryRow[]> {
  return { statement: selectOfEvent, values: [of.bucket, of.eventId], map: (rows) => rows.map(deliveriesTable.fromRow) }
}

const selectDead = sql`
  select ${deliveriesTable.columns} from deliveries where bucket = $1 and merchant_id = $2 and state = 'dead'
  order by settled_at desc, event_id desc limit $3`

/** Dead deliveries, newest first. */
export function listDeadDeliveries({ bucket, merchantId, count }: MerchantKey & { count: number }): Read<DeliveryRow[]> {
  return { statement: selectDead, values: [bucket, merchantId, count], map: (rows) => rows.map(deliveriesTable.fromRow) }
}

const selectOldestWaiting = sql`
  select endpoint_id, made_at from deliveries where bucket = $1 and merchant_id = $2 and state = 'waiting'
  order by made_at, event_id, endpoint_id limit $3`

/** The deliveries that have waited longest, of all endpoints of a merchant. */
export function listOldestWaiting({ bucket, merchantId, count }: MerchantKey & { count: number }): Read<WaitingDelivery[]> {
  return {
    statement: selectOldestWaiting,
    values: [bucket, merchantId, count],
    map: (rows) => rows.map((row) => ({ endpointId: readText(row, 'endpoint_id'), createdAt: readInteger(row, 'made_at') })),
  }
}

export type WaitingDelivery = Pick<DeliveryRow, 'endpointId' | 'createdAt'>

const selectAttempts = sql`
  select ${deliveryAttemptsTable.columns} from delivery_attempts
  where bucket = $1 and event_id = $2 order by at, endpoint_id, number`

/** Every attempt to deliver an event, oldest first. */
export function listDeliveryAttempts(of: { bucket: number; eventId: string }): Read<DeliveryAttemptRow[]> {
  return { statement: selectAttempts, values: [of.bucket, of.eventId], map: (rows) => rows.map(deliveryAttemptsTable.fromRow) }
}

function keyValues({ bucket, endpointId, eventId }: DeliveryAttemptRow): Value[] {
  return [bucket, endpointId, eventId]
}

const selectDelivery = sql`
  select o.merchant_id, o.event_id, o.type, o.object_id, o.at, o.body, o.bucket, o.mac as event_mac,
    e.endpoint_id, e.url, e.secret, e.secret_before, e.before_ends_at, e.created_at, e.version, e.types, e.disabled_at, e.mac
  from outbox o left join webhook_endpoints e on e.bucket = o.bucket and ${isOwnedBy('o.merchant_id', 'e.merchant_id')} and e.endpoint_id = $2
  where o.bucket = $1 and o.event_id = $3 and ${isOwnedBy('$4', 'o.merchant_id')}`

/** The event to be sent and its endpoint; null when the event is deleted. */
export function findDueDelivery({ bucket, endpointId, eventId, merchantId }: DeliveryKey): Read<DueDelivery | null> {
  return {
    statement: selectDelivery,
    values: [bucket, endpointId, eventId, merchantId],
    map: ([row]) =>
      row === undefined
        ? null
        : {
            event: outboxTable.fromRow({ ...row, mac: row['event_mac'] ?? null }),
            endpoint: row['url'] === null ? null : webhookEndpointsTable.fromRow(row),
          },
  }
}

// A replayed event is not queued behind newer ones, since per endpoint and object the oldest waiting event is next. A delivery in progress is left
// alone.
const replayRows = sql`
  insert into deliveries
    (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
  select o.bucket, e.endpoint_id, o.event_id, o.merchant_id, o.object_id, o.position, 'waiting', 0, 0, cast($4 as bigint), '', o.at, 0
  from outbox o join webhook_endpoints e on e.bucket = o.bucket and e.merchant_id = o.merchant_id
  where o.bucket = $1 and o.event_id = $2 and ${isOwnedBy('$3', 'o.merchant_id')} and e.endpoint_id = coalesce($5, e.endpoint_id)
  on conflict (bucket, endpoint_id, event_id) do update set state = 'waiting', tries = 0, due_at = excluded.due_at, claim_id = '', settled_at = 0
  where deliveries.due_at is null or deliveries.claim_id = ''
  returning endpoint_id`

/** Makes an event due again, with all attempts, at the merchant's current endpoints or at one of them; returns the number of endpoints. */
export function* replayEvent({ audit, ...replay }: EventReplay & { readonly audit: AuditEntry }): Transaction<number> {
  const replayed = yield* run(replayRows, [replay.bucket, replay.eventId, replay.merchantId, replay.now, replay.endpointId])
  if (replayed.length > 0) yield* writeAudit(audit)
  return replayed.length
}

// The page is selected before its events are looked up, so that the planner never joins whole tables.
const order = 'made_at desc, event_id desc, endpoint_id desc'

const pageOf = (condition: string) => `
  select newest.*, (select o.type from outbox o where o.bucket = $1 and o.event_id = newest.event_id) as type from (
    select ${deliveriesTable.columns} from deliveries
    where bucket = $1 and merchant_id = $2 ${condition} and (made_at, event_id, endpoint_id) < ($3, $4, $5)
    order by ${order} limit $6) as newest
  order by ${order}`

const selectPage = sql`${pageOf('')}`

const selectPageInState = sql`${pageOf('and state = $7')}`

/** A merchant's deliveries after the cursor, newest events first: a range of the index `deliveries_newest` or `deliveries_state`. */
export function listDeliveryPage({ bucket, merchantId, after, state, count }: DeliveryPageQuery): Read<ListedDelivery[]> {
  const { createdAt, eventId, endpointId } = after ?? first
  const values = [bucket, merchantId, createdAt, eventId, endpointId, count]
  const map: Read<ListedDelivery[]>['map'] = (found) => found.map(toListedDelivery)
  return state === null ? { statement: selectPage, values, map } : { statement: selectPageInState, values: [...values, state], map }
}

// By the events of the object, which are in the order of `outbox_order`. SQLite takes the tables of a cross join in the order in which they are written.
const selectOfObject = sql`
  select ${deliveriesTable.names.map((name) => `d.${name}`).join(', ')}, o.type
  from outbox as o cross join deliveries as d
  where o.bucket = $1 and o.object_id = $2 and d.bucket = o.bucket and d.event_id = o.event_id and ${isOwnedBy('$3', 'd.merchant_id')}
  order by o.position desc limit $4`

/** The deliveries of the events of one card or receipt, newest event first. */
export function listDeliveriesOfObject({ bucket, merchantId, objectId, count }: DeliveriesOfObjectQuery): Read<ListedDelivery[]> {
  return { statement: selectOfObject, values: [bucket, objectId, merchantId, count], map: (found) => found.map(toListedDelivery) }
}

export interface DeliveriesOfObjectQuery extends MerchantKey {
  readonly objectId: string
  readonly count: number
}

function toListedDelivery(row: Row): ListedDelivery {
  return { ...deliveriesTable.fromRow(row), type: row['type'] === null ? null : readText(row, 'type') }
}

const first = { createdAt: Number.MAX_SAFE_INTEGER, eventId: '', endpointId: '' }
