import { readInteger, readText } from './columns.ts'
import type { QueuedEndpoint } from './delivery-claims.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, execute } from './transaction.ts'

// Deliveries that a clock that was ahead has postponed: found by their times, over all endpoints, and changed by their keys, endpoint by endpoint.

/** A delivery that waits for a time. */
export interface PostponedDelivery extends QueuedEndpoint {
  readonly eventId: string
  /** Attempts started since it was created or last replayed. */
  readonly attempts: number
  readonly dueAt: number
  /** Empty when nobody attempts it now. */
  readonly claimId: string
}

export type PostponedCursor = Pick<PostponedDelivery, 'dueAt' | 'eventId' | 'endpointId'>

const selectDueAfter = sql`
  select bucket, endpoint_id, event_id, tries, due_at, claim_id from deliveries
  where due_at >= $1 and (due_at, event_id, endpoint_id) > ($1, $2, $3) order by due_at, event_id, endpoint_id limit $4`

/** A page of the deliveries that are due after a time, in that order. */
export function listDueAfter({ after, count }: { readonly after: PostponedCursor; readonly count: number }): Read<PostponedDelivery[]> {
  return {
    statement: selectDueAfter,
    values: [after.dueAt, after.eventId, after.endpointId, count],
    map: (rows) =>
      rows.map((row) => ({
        bucket: readInteger(row, 'bucket'),
        endpointId: readText(row, 'endpoint_id'),
        eventId: readText(row, 'event_id'),
        attempts: readInteger(row, 'tries'),
        dueAt: readInteger(row, 'due_at'),
        claimId: readText(row, 'claim_id'),
      })),
  }
}

// Only what is still as it was read: a delivery that was claimed or attempted meanwhile has a time of its own.
const moveDelivery = sql`
  update deliveries set due_at = $4
  where bucket = $1 and endpoint_id = $2 and event_id = $3 and coalesce(due_at, -1) = $5 and claim_id = $6`

export interface MoveDeliveries {
  readonly endpoint: QueuedEndpoint
  readonly deliveries: readonly (Pick<PostponedDelivery, 'eventId' | 'dueAt' | 'claimId'> & { readonly to: number })[]
}

/** Gives waiting deliveries of one endpoint another time. */
export function* moveDeliveries({ endpoint, deliveries }: MoveDeliveries): Transaction<void> {
  for (const { eventId, dueAt, claimId, to } of deliveries)
    yield* execute(moveDelivery, [endpoint.bucket, endpoint.endpointId, eventId, to, dueAt, claimId])
}
