import { eventTypes } from '@tessera/contract/event'

import { word } from '../column.ts'
import { sql } from '../statement.ts'
import type { DeliveryPageAsked, ListedDelivery } from '../store.ts'
import type { Read } from '../unit.ts'
import { deliveryColumns, tellDelivery } from './deliveries.ts'

// The page is cut before its events are looked up, so that no planner joins all there is.
const order = 'made_at desc, event_id desc, endpoint_id desc'
const pageOf = (condition: string) => `
  select newest.*, (select o.type from outbox o where o.bucket = newest.bucket and o.event_id = newest.event_id) as type from (
    select ${deliveryColumns} from deliveries
    where bucket = $1 and merchant_id = $2 ${condition} and (made_at, event_id, endpoint_id) < ($3, $4, $5)
    order by ${order} limit $6) as newest
  order by ${order}`

const selectPage = sql`${pageOf('')}`
const selectPageInState = sql`${pageOf('and state = $7')}`

/** A page of a merchant's deliveries, those of the newest events first: a range of `deliveries_newest`, or of `deliveries_state`. */
export function listDeliveryPage({ bucket, merchantId, after, state, count }: DeliveryPageAsked): Read<ListedDelivery[]> {
  const { madeAt, eventId, endpointId } = after ?? first
  const values = [bucket, merchantId, madeAt, eventId, endpointId, count]
  const tell: Read<ListedDelivery[]>['tell'] = (found) =>
    found.map((row) => ({ ...tellDelivery(row), type: word(row, 'type', eventTypes) }))
  return state === null ? { statement: selectPage, values, tell } : { statement: selectPageInState, values: [...values, state], tell }
}

const first = { madeAt: Number.MAX_SAFE_INTEGER, eventId: '', endpointId: '' }
