import { deliveriesTable, isAhead } from '../deliveries.ts'

const key = 'bucket, endpoint_id, event_id'

/**
 * The claim of all endpoints together, as it was until deliveries were claimed for each endpoint, to compare both. Its only values are its limits: the
 * present, the end of the lease, and how many deliveries it takes. Citus refuses it, because of the derived table.
 */
export function formerClaimText({ now, leaseUntil, count }: { readonly now: number; readonly leaseUntil: number; readonly count: number }) {
  return `
    update deliveries set due_at = ${leaseUntil}, claim_id = 'former', tries = tries + 1, attempts = attempts + 1
    where due_at <= ${now} and (${key}) in (
      select ${key} from (
        select ${key}, due_at from deliveries d
        where d.due_at <= ${now}
          and coalesce((select 0 from deliveries e where ${isAhead} and e.due_at is not null limit 1), 1) > 0
        order by d.due_at, d.event_id limit 500) as page
      order by due_at, event_id limit ${count})
    returning ${deliveriesTable.columns}`
}
