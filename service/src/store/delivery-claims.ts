import type { AuditEntry } from './audit.ts'
import { readInteger, readText } from './columns.ts'
import { deliveriesTable, isAhead, type DeliveryRow } from './deliveries.ts'
import { type Row, type Value, sql } from './statement.ts'
import { type Read, type Transaction, run, runOne, writeAudit } from './transaction.ts'
import type { EndpointKey } from './webhook-endpoints.ts'

/**
 * Which deliveries are sent next. Every statement that does not go over all endpoints names the bucket of one endpoint, so that a
 * distributed database runs it on one node; none has a derived table, a CTE or a lock that only one store knows. `coalesce(due_at, …)` keeps the planner
 * off the indexes of due times, which have all that waits for the endpoint, where rows are found by their key or object: those are `where due_at is not null`, and
 * every other comparison implies that (decision 80).
 */

/** An endpoint that deliveries are claimed for. */
export interface QueuedEndpoint {
  readonly bucket: number
  readonly endpointId: string
}

/** Endpoints that are looked at together. When some are created in between, as many are left for the next round. */
export const endpointPageSize = 2000

const selectRecentlyDue = sql`
  select bucket, endpoint_id from deliveries where due_at > $1 and due_at <= $2 order by due_at desc limit 256`

/** Endpoints whose deliveries became due in a time range, newest first; an endpoint may be in it more than once. */
export function listRecentlyDue({ from, to }: { readonly from: number; readonly to: number }): Read<QueuedEndpoint[]> {
  return { statement: selectRecentlyDue, values: [from, to], map: toEndpoints }
}

const selectPageEnd = sql`
  select bucket, endpoint_id from webhook_endpoints where (bucket, endpoint_id) > ($1, $2)
  order by bucket, endpoint_id limit 1 offset $3`

/** The last of the next `count` endpoints after the cursor; null when there are fewer. */
export function findEndpointPageEnd({
  after,
  count,
}: {
  readonly after: QueuedEndpoint
  readonly count: number
}): Read<QueuedEndpoint | null> {
  return { statement: selectPageEnd, values: [after.bucket, after.endpointId, count - 1], map: (rows) => toEndpoints(rows)[0] ?? null }
}

// Citus runs a correlated `exists` on each node, because the rows of both tables are where their bucket is; it has no limit of its own to be merged.
// `is true` and the last condition, which always holds, keep PostgreSQL from a join and from a hash table: either would read everything that is due,
// where one row for each endpoint is enough.
const selectDueEndpoints = sql`
  select e.bucket, e.endpoint_id from webhook_endpoints e
  where (e.bucket, e.endpoint_id) > ($1, $2) and (e.bucket, e.endpoint_id) <= ($3, $4)
    and exists (
      select 1 from deliveries d
      where d.bucket = e.bucket and d.endpoint_id = e.endpoint_id and d.due_at <= $5 and d.endpoint_id >= e.endpoint_id) is true
  order by e.bucket, e.endpoint_id limit ${endpointPageSize}`

/**
 * Existing endpoints with due deliveries in a page, which `findEndpointPageEnd` ends: one probe of an index for each endpoint of the page, however many deliveries
 * each has. Without the end it would go on through all endpoints while none of them has anything due.
 */
export function listDueEndpoints({
  after,
  upTo,
  now,
}: {
  readonly after: QueuedEndpoint
  readonly upTo: QueuedEndpoint
  readonly now: number
}): Read<QueuedEndpoint[]> {
  return {
    statement: selectDueEndpoints,
    values: [after.bucket, after.endpointId, upTo.bucket, upTo.endpointId, now],
    map: toEndpoints,
  }
}

const selectNextWaiting = sql`
  select bucket, endpoint_id from deliveries where due_at is not null and (bucket, endpoint_id) > ($1, $2)
  order by bucket, endpoint_id, due_at, event_id limit 1`

/** The next endpoint after the cursor for which something waits, also when the endpoint was removed; null at the end. */
export function findNextWaiting({ bucket, endpointId }: QueuedEndpoint): Read<QueuedEndpoint | null> {
  return { statement: selectNextWaiting, values: [bucket, endpointId], map: (rows) => toEndpoints(rows)[0] ?? null }
}

function toEndpoints(rows: readonly Row[]): QueuedEndpoint[] {
  return rows.map((row) => ({ bucket: readInteger(row, 'bucket'), endpointId: readText(row, 'endpoint_id') }))
}

export interface DeliveryClaim {
  readonly endpoint: QueuedEndpoint
  readonly now: number
  readonly leaseUntil: number
  /** Unique to this claim: an attempt is recorded only while its claim still holds the delivery. */
  readonly claimId: string
  /** At most `maxClaimed`. */
  readonly count: number
}

export interface ClaimedDeliveries {
  readonly claimed: readonly DeliveryRow[]
  /** Whether more may be claimed for this endpoint now. */
  readonly hasMore: boolean
}

/** One claim takes at most this many deliveries. */
export const maxClaimed = 16

/** A claim looks at this many due deliveries, and postpones at most those of `maxPostponed` objects. Waking and giving up change as many. */
export const claimPageSize = 64
const maxPostponed = 16

/** After every time. */
const never = Number.MAX_SAFE_INTEGER

/** One call replays at most this many failed deliveries. */
export const failedPageSize = 256

const selectDue = sql`
  select d.event_id, (select e.event_id from deliveries e where ${isAhead} and coalesce(e.due_at, -1) >= 0 order by e.position limit 1) as ahead_id
  from deliveries d where d.bucket = $1 and d.endpoint_id = $2 and d.due_at <= $3 order by d.due_at, d.event_id limit ${claimPageSize}`

// Two concurrent claims may choose the same rows; the second waits for the first, and then finds that they are no longer due.
const claimRows = sql`
  update deliveries set due_at = $4, claim_id = $5, tries = tries + 1, attempts = attempts + 1
  where bucket = $1 and endpoint_id = $2 and coalesce(due_at, ${never}) <= $3
    and event_id in (${eventIdsFrom(6, maxClaimed)})
  returning ${deliveriesTable.columns}`

/**
 * Claims due deliveries of one endpoint until `leaseUntil`, longest due first; no other process can claim them before that. Of each object only the
 * oldest waiting event is claimed, and those behind it are postponed until it is due.
 */
export function* claimDeliveries({ endpoint, now, leaseUntil, claimId, count }: DeliveryClaim): Transaction<ClaimedDeliveries> {
  const key = [endpoint.bucket, endpoint.endpointId]
  const page = yield* run(selectDue, [...key, now])
  const due = page.map((row) => readText(row, 'event_id'))
  const ahead = new Set(page.flatMap((row) => (row['ahead_id'] === null ? [] : [readText(row, 'ahead_id')])))
  for (const eventId of due) ahead.delete(eventId)
  // The oldest events of their objects. One beyond the page may be due too: it has to be claimed, or the page would never change.
  const free = [...due.filter((_, at) => page[at]?.['ahead_id'] === null), ...ahead]
  const chosen = free.slice(0, Math.min(count, maxClaimed))
  const rows = chosen.length === 0 ? [] : yield* run(claimRows, [...key, now, leaseUntil, claimId, ...padded(chosen, maxClaimed)])
  const claimed = rows.map(deliveriesTable.fromRow).sort((one, other) => due.indexOf(one.eventId) - due.indexOf(other.eventId))
  yield* postponeBehind(key, [...ahead].sort().slice(0, maxPostponed), now)
  return { claimed, hasMore: free.length > chosen.length || page.length === claimPageSize }
}

/** Placeholders of a page of event ids. */
function eventIdsFrom(first: number, count = claimPageSize): string {
  return Array.from({ length: count }, (_, at) => `$${at + first}`).join(', ')
}

function padded(ids: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => ids[at] ?? '')
}

// The update that changes nothing locks the row and reads it as it is now. Recording an attempt changes this row first, too: so either it finds what
// is postponed here and makes it due, or this finds that the row is no longer due later, and postpones nothing.
const lockAhead = sql`
  update deliveries set claim_id = claim_id where bucket = $1 and endpoint_id = $2 and event_id = $3 and coalesce(due_at, -1) > $4
  returning object_id, position, due_at`

const postponeObject = sql`
  update deliveries set due_at = $6, claim_id = ''
  where bucket = $1 and endpoint_id = $2 and object_id = $3 and position > $4 and coalesce(due_at, ${never}) <= $5 returning event_id`

/** Postpones what is due behind deliveries that are due later, so that not every claim reads it again. */
function* postponeBehind(key: readonly Value[], eventIds: readonly string[], now: number): Transaction<void> {
  for (const eventId of eventIds) {
    const ahead = yield* runOne(lockAhead, [...key, eventId, now])
    if (ahead === null) continue
    const object = [readText(ahead, 'object_id'), readInteger(ahead, 'position')]
    yield* run(postponeObject, [...key, ...object, now, readInteger(ahead, 'due_at')])
  }
}

// The rows are found first and then changed by their keys, since a join of both may read the whole table.
const selectLater = sql`
  select event_id from deliveries where bucket = $1 and endpoint_id = $2 and due_at > $3 and claim_id = ''
  order by due_at, event_id limit ${claimPageSize}`

const wakeRows = sql`
  update deliveries set due_at = $3
  where bucket = $1 and endpoint_id = $2 and claim_id = '' and coalesce(due_at, -1) > $3 and event_id in (${eventIdsFrom(4)})
  returning event_id`

/** Makes a page of deliveries due that wait for their next attempt; those in progress are left alone. Returns how many there were. */
export function* wakeEndpoint({ endpoint, now }: EndpointPage): Transaction<number> {
  const key = [endpoint.bucket, endpoint.endpointId]
  const page = (yield* run(selectLater, [...key, now])).map((row) => readText(row, 'event_id'))
  if (page.length > 0) yield* run(wakeRows, [...key, now, ...padded(page, claimPageSize)])
  return page.length
}

const selectOverdue = sql`
  select event_id from deliveries where bucket = $1 and endpoint_id = $2 and due_at < $3 order by due_at, event_id limit ${claimPageSize}`

const giveUpRows = sql`
  update deliveries set state = 'dead', due_at = null, settled_at = $3, claim_id = ''
  where bucket = $1 and endpoint_id = $2 and coalesce(due_at, ${never}) < $4 and event_id in (${eventIdsFrom(5)})
  returning event_id`

/** Gives a page of deliveries up that have been due since before `dueBefore` without an attempt. Returns how many there were. */
export function* giveUpOverdue({ endpoint, now, dueBefore }: EndpointPage & { readonly dueBefore: number }): Transaction<number> {
  const key = [endpoint.bucket, endpoint.endpointId]
  const page = (yield* run(selectOverdue, [...key, dueBefore])).map((row) => readText(row, 'event_id'))
  if (page.length > 0) yield* run(giveUpRows, [...key, now, dueBefore, ...padded(page, claimPageSize)])
  return page.length
}

const selectFailed = sql`
  select event_id from deliveries
  where bucket = $1 and merchant_id = $2 and state = 'dead' and settled_at >= $3 and settled_at < $4 and endpoint_id = $5
  order by settled_at, event_id limit ${failedPageSize}`

const replayFailedRows = sql`
  update deliveries set state = 'waiting', tries = 0, due_at = $3, claim_id = '', settled_at = 0
  where bucket = $1 and endpoint_id = $2 and state = 'dead' and event_id in (${eventIdsFrom(4, failedPageSize)})
  returning event_id`

export interface FailedReplay extends EndpointKey {
  /** When their last attempt failed: from this time on, and before that one. */
  readonly from: number
  readonly to: number
  readonly now: number
}

/** Makes a page of dead deliveries of an endpoint due, with all attempts, those that failed first. Returns how many, and whether that was a whole page. */
export function* replayFailed({ audit, ...replay }: FailedReplay & { readonly audit: AuditEntry }): Transaction<ReplayedPage> {
  const { bucket, merchantId, endpointId, from, to, now } = replay
  const page = (yield* run(selectFailed, [bucket, merchantId, from, to, endpointId])).map((row) => readText(row, 'event_id'))
  if (page.length === 0) return { replayed: 0, hasMore: false }
  const { length } = yield* run(replayFailedRows, [bucket, endpointId, now, ...padded(page, failedPageSize)])
  if (length > 0) yield* writeAudit({ ...audit, changes: [{ name: 'deliveries', from: null, to: String(length) }] })
  return { replayed: length, hasMore: page.length === failedPageSize }
}

export interface ReplayedPage {
  readonly replayed: number
  readonly hasMore: boolean
}

/** A bounded part of an endpoint's deliveries, so that no transaction is long. */
export interface EndpointPage {
  readonly endpoint: QueuedEndpoint
  readonly now: number
}

const selectWaiting = sql`select count(*) as waiting from deliveries where due_at is not null`

/** How many deliveries of all merchants wait to be sent or attempted again. */
export function countWaitingDeliveries(): Read<number> {
  return { statement: selectWaiting, values: [], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'waiting')) }
}

const selectOldestDue = sql`select due_at from deliveries where due_at <= $1 order by due_at, event_id limit 1`

/** Since when the delivery that is longest due is due; null when none is. */
export function findOldestDue(now: number): Read<number | null> {
  return { statement: selectOldestDue, values: [now], map: ([row]) => (row === undefined ? null : readInteger(row, 'due_at')) }
}
