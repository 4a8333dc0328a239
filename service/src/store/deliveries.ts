import type { AuditEntry } from './audit.ts'
import { text, oneOfOr, integer, timestamp, readText, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { type EventRow, outboxTable } from './outbox.ts'
import { type Value, placeholders, sql } from './statement.ts'
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

export interface DeliveryClaim {
  readonly now: number
  readonly leaseUntil: number
  /** Unique to this claim: an attempt is recorded only while its claim still holds the delivery. */
  readonly claimId: string
  readonly count: number
  /** Endpoints with as many attempts in progress as allowed; the first `maxBusyEndpoints` of them are skipped. */
  readonly busy: readonly string[]
}

/** How many endpoints a claim can leave out. */
export const maxBusyEndpoints = 8

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
}, 'shown and counted only: nothing is decided by these rows')

/** One attempt: an outcome code and the HTTP status (0 without one), never the endpoint's response. */
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

const key = 'bucket, endpoint_id, event_id'

const isAhead = 'e.bucket = d.bucket and e.endpoint_id = d.endpoint_id and e.object_id = d.object_id and e.position < d.position'

/** One claim takes at most this many deliveries. */
const claimPageSize = 500

/** A claim checks this many due deliveries for blocked ones, and postpones at most `blockedPageSize` of them. */
const blockedLookSize = 1024

const blockedPageSize = 256

// Two concurrent claims may choose the same rows; the second waits for the first, and then finds that they are no longer due.
// The inner page size is a number in the text: without one the planner expects a tenth of the table and reads all of it. Whether an older event of
// the object waits is a scalar subquery for each row, since `exists` may become a join with everything that waits. Both conditions are written so
// that the planner expects many matching rows: where it expects few, it sorts everything due instead of reading along the index.
const claimRows = sql`
  update deliveries set due_at = $2, claim_id = $3, tries = tries + 1, attempts = attempts + 1
  where due_at <= $1 and (${key}) in (
    select ${key} from (
      select ${key}, due_at from deliveries d
      where d.due_at <= $1 and (d.endpoint_id || '') not in (${Array.from({ length: maxBusyEndpoints }, (_, at) => `$${at + 5}`).join(', ')})
        and coalesce((select 0 from deliveries e where ${isAhead} and e.due_at is not null limit 1), 1) > 0
      order by d.due_at, d.event_id limit ${claimPageSize}) as page
    order by due_at, event_id limit $4)
  returning ${deliveriesTable.columns}`

// A delivery behind one that is due later is postponed until then, so that not every claim reads it again. The rows are locked first and then read
// again, so a concurrent transaction that makes them due runs after this one. (`+ 0` keeps the planner on the index of the object's deliveries, off
// the index of due times.) Only the deliveries that claims would read first are checked, however many are due after them.
const lockBlocked = sql`
  update deliveries set claim_id = $2 where due_at <= $1 and (${key}) in (
    select ${key} from (
      select ${key}, object_id, position, due_at from deliveries where due_at <= $1 order by due_at, event_id limit ${blockedLookSize}) as d
    where (select 1 from deliveries e where ${isAhead} and e.due_at + 0 > $1 limit 1) is not null
    order by d.due_at, d.event_id limit ${blockedPageSize})
  returning due_at`

const postponeBlocked = sql`
  update deliveries as d set claim_id = '',
    due_at = coalesce((select max(e.due_at) from deliveries e where ${isAhead} and e.due_at + 0 > $1), d.due_at)
  where d.due_at between $3 and $4 and d.claim_id = $2
  returning event_id`

/**
 * Claims due deliveries until `leaseUntil`, longest due first; no other process can claim them before that. Per endpoint and object only the oldest
 * waiting event is claimed.
 */
export function* claimDeliveries({ now, leaseUntil, claimId, count, busy }: DeliveryClaim): Transaction<DeliveryRow[]> {
  const excluded = Array.from({ length: maxBusyEndpoints }, (_, at) => busy[at] ?? '')
  const claimed = yield* run(claimRows, [now, leaseUntil, claimId, count, ...excluded])
  const blocked = (yield* run(lockBlocked, [now, `${claimId} waits`])).map((row) => readInteger(row, 'due_at'))
  if (blocked.length > 0) yield* run(postponeBlocked, [now, `${claimId} waits`, Math.min(...blocked), Math.max(...blocked)])
  return claimed.map(deliveriesTable.fromRow)
}

const updateDelivery = sql`
  update deliveries set state = $4, due_at = $5, settled_at = $6, claim_id = ''
  where bucket = $1 and endpoint_id = $2 and event_id = $3 and claim_id = $7 and due_at is not null
  returning object_id, position`

const insertAttempt = sql`
  insert into delivery_attempts (bucket, endpoint_id, event_id, number, at, took_ms, outcome, status) values (${placeholders(8)})`

const makeNextDue = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and due_at > $4 and claim_id = '' returning event_id`

const postponeNext = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and due_at is not null and position > $5 and claim_id = '' returning event_id`

/** Records an attempt and the next state of the delivery and of those behind it. Returns false and writes nothing when another process has claimed it. */
export function* recordDeliveryAttempt({ claimId, attempt, now, state, dueAt }: DeliveryAttemptResult): Transaction<boolean> {
  const finishedAt = dueAt === null ? now : 0
  const updated = yield* runOne(updateDelivery, [...keyValues(attempt), state, dueAt, finishedAt, claimId])
  if (updated === null) return false
  yield* execute(insertAttempt, [...keyValues(attempt), attempt.number, attempt.at, attempt.tookMs, attempt.outcome, attempt.status])
  const object = [attempt.bucket, attempt.endpointId, readText(updated, 'object_id')]
  if (dueAt === null) yield* execute(makeNextDue, [...object, now])
  else yield* run(postponeNext, [...object, dueAt, readInteger(updated, 'position')])
  return true
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

const selectAttempts = sql`
  select bucket, endpoint_id, event_id, number, at, took_ms, outcome, status from delivery_attempts
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
    e.endpoint_id, e.url, e.secret, e.secret_before, e.before_ends_at, e.created_at, e.version, e.mac
  from outbox o left join webhook_endpoints e on e.bucket = o.bucket and e.merchant_id = o.merchant_id and e.endpoint_id = $2
  where o.bucket = $1 and o.event_id = $3 and o.merchant_id = $4`

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
  where o.bucket = $1 and o.event_id = $2 and o.merchant_id = $3 and e.endpoint_id = coalesce($5, e.endpoint_id)
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
  select newest.*, (select o.type from outbox o where o.bucket = newest.bucket and o.event_id = newest.event_id) as type from (
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
  const map: Read<ListedDelivery[]>['map'] = (found) =>
    found.map((row) => ({ ...deliveriesTable.fromRow(row), type: row['type'] === null ? null : readText(row, 'type') }))
  return state === null ? { statement: selectPage, values, map } : { statement: selectPageInState, values: [...values, state], map }
}

const first = { createdAt: Number.MAX_SAFE_INTEGER, eventId: '', endpointId: '' }

const selectWaiting = sql`select count(*) as waiting from deliveries where due_at is not null`

/** How many deliveries of all merchants wait to be sent or attempted again. */
export function countWaitingDeliveries(): Read<number> {
  return { statement: selectWaiting, values: [], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'waiting')) }
}
