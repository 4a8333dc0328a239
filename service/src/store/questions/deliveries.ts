import { integer, integerOrNull, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AttemptRow, DeliveriesClaim, DeliveryRow, EndpointsAsked, SettledDelivery } from '../store.ts'
import { one, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { busyMax } from '../webhooks.ts'

const columnList = [
  ...['bucket', 'endpoint_id', 'event_id', 'merchant_id', 'object_id', 'position', 'state', 'tries', 'attempts', 'due_at', 'made_at'],
  'settled_at',
]
export const deliveryColumns = columnList.join(', ')
const columns = deliveryColumns
const key = 'bucket, endpoint_id, event_id'
const ofSameLine = 'e.bucket = d.bucket and e.endpoint_id = d.endpoint_id and e.object_id = d.object_id and e.position < d.position'

/** The most that one claim takes. */
const CLAIM_PAGE = 500
/** How far along what is due a claim looks for what stands behind something else, and how much of that it sets to wait. */
const BLOCKED_LOOK = 1024
const BLOCKED_PAGE = 256

// Two that claim at once may choose the same rows; the second waits for the first, and then finds them due no longer.
// A planner that is told no number where a page ends plans for a tenth of all there is, and reads the table: so it is told one. What stands
// before a row is asked of each row by itself: as `exists` it may become a join with all that waits. Both conditions are written so
// that the planner guesses that many rows are left (a third, most): where it expects few it sorts all that is due instead of going along the index.
const claimRows = sql`
  update deliveries set due_at = $2, claim_id = $3, tries = tries + 1, attempts = attempts + 1
  where due_at <= $1 and (${key}) in (
    select ${key} from (
      select ${key}, due_at from deliveries d
      where d.due_at <= $1 and (d.endpoint_id || '') not in (${Array.from({ length: busyMax }, (_, at) => `$${at + 5}`).join(', ')})
        and coalesce((select 0 from deliveries e where ${ofSameLine} and e.due_at is not null limit 1), 1) > 0
      order by d.due_at, d.event_id limit ${CLAIM_PAGE}) as page
    order by due_at, event_id limit $4)
  returning ${columns}`

// What stands behind one that waits for later is set to wait as long, so that nobody looks at it each time. First the rows are taken, then
// looked at anew: whoever wakes them meanwhile comes after us. (`+ 0` keeps the lookup on the line's own index, off all that waits for later.)
// It is done where claims look first, however much is due behind.
const takeBlocked = sql`
  update deliveries set claim_id = $2 where due_at <= $1 and (${key}) in (
    select ${key} from (
      select ${key}, object_id, position, due_at from deliveries where due_at <= $1 order by due_at, event_id limit ${BLOCKED_LOOK}) as d
    where (select 1 from deliveries e where ${ofSameLine} and e.due_at + 0 > $1 limit 1) is not null
    order by d.due_at, d.event_id limit ${BLOCKED_PAGE})
  returning due_at`
const putBlockedOff = sql`
  update deliveries as d set claim_id = '',
    due_at = coalesce((select max(e.due_at) from deliveries e where ${ofSameLine} and e.due_at + 0 > $1), d.due_at)
  where d.due_at between $3 and $4 and d.claim_id = $2
  returning event_id`

/** Takes deliveries that are due, of each object of an endpoint only the oldest that waits. */
export function* claimDeliveries({ now, leaseUntil, claimId, count, busy }: DeliveriesClaim): Unit<DeliveryRow[]> {
  const left = Array.from({ length: busyMax }, (_, at) => busy[at] ?? '')
  const claimed = yield* rows(claimRows, [now, leaseUntil, claimId, count, ...left])
  const blocked = (yield* rows(takeBlocked, [now, `${claimId} waits`])).map((row) => integer(row, 'due_at'))
  if (blocked.length > 0) yield* rows(putBlockedOff, [now, `${claimId} waits`, Math.min(...blocked), Math.max(...blocked)])
  return claimed.map(tellDelivery)
}

const settleRow = sql`
  update deliveries set state = $4, due_at = $5, settled_at = $6, claim_id = ''
  where bucket = $1 and endpoint_id = $2 and event_id = $3 and claim_id = $7 and due_at is not null
  returning object_id, position`
const insertAttempt = sql`
  insert into delivery_attempts (bucket, endpoint_id, event_id, number, at, took_ms, outcome, status) values (${places(8)})`
const wakeNext = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and due_at > $4 and claim_id = '' returning event_id`
const holdNext = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and due_at is not null and position > $5 and claim_id = '' returning event_id`

/** Keeps an attempt, and what comes after it for the delivery and for those that stand behind it. */
export function* settleDelivery({ claimId, attempt, now, state, dueAt }: SettledDelivery): Unit<boolean> {
  const settledAt = dueAt === null ? now : 0
  const settled = yield* one(settleRow, [...keyValues(attempt), state, dueAt, settledAt, claimId])
  if (settled === null) return false
  yield* rows(insertAttempt, [...keyValues(attempt), attempt.number, attempt.at, attempt.tookMs, attempt.outcome, attempt.status])
  const line = [attempt.bucket, attempt.endpointId, text(settled, 'object_id')]
  if (dueAt === null) yield* rows(wakeNext, [...line, now])
  else yield* rows(holdNext, [...line, dueAt, integer(settled, 'position')])
  return true
}

const selectOfEvent = sql`select ${columns} from deliveries where bucket = $1 and event_id = $2 order by endpoint_id`

export function listDeliveries(of: { bucket: number; eventId: string }): Read<DeliveryRow[]> {
  return { statement: selectOfEvent, values: [of.bucket, of.eventId], tell: (found) => found.map(tellDelivery) }
}

const selectDead = sql`
  select ${columns} from deliveries where bucket = $1 and merchant_id = $2 and state = 'dead'
  order by settled_at desc, event_id desc limit $3`

/** What was given up, newest first. */
export function listDeadDeliveries({ bucket, merchantId, count }: EndpointsAsked & { count: number }): Read<DeliveryRow[]> {
  return { statement: selectDead, values: [bucket, merchantId, count], tell: (found) => found.map(tellDelivery) }
}

const selectAttempts = sql`
  select bucket, endpoint_id, event_id, number, at, took_ms, outcome, status from delivery_attempts
  where bucket = $1 and event_id = $2 order by at, endpoint_id, number`

/** Every attempt to deliver an event, oldest first. */
export function listAttempts(of: { bucket: number; eventId: string }): Read<AttemptRow[]> {
  return { statement: selectAttempts, values: [of.bucket, of.eventId], tell: (found) => found.map(tellAttempt) }
}

function keyValues({ bucket, endpointId, eventId }: AttemptRow): Value[] {
  return [bucket, endpointId, eventId]
}

export function tellDelivery(row: Row): DeliveryRow {
  return {
    bucket: integer(row, 'bucket'),
    endpointId: text(row, 'endpoint_id'),
    eventId: text(row, 'event_id'),
    merchantId: text(row, 'merchant_id'),
    objectId: text(row, 'object_id'),
    position: integer(row, 'position'),
    state: word(row, 'state', ['waiting', 'delivered', 'dead']),
    tries: integer(row, 'tries'),
    attempts: integer(row, 'attempts'),
    dueAt: integerOrNull(row, 'due_at'),
    madeAt: integer(row, 'made_at'),
    settledAt: integer(row, 'settled_at'),
  }
}

function tellAttempt(row: Row): AttemptRow {
  return {
    bucket: integer(row, 'bucket'),
    endpointId: text(row, 'endpoint_id'),
    eventId: text(row, 'event_id'),
    number: integer(row, 'number'),
    at: integer(row, 'at'),
    tookMs: integer(row, 'took_ms'),
    outcome: text(row, 'outcome'),
    status: integer(row, 'status'),
  }
}
