import { bytes, integer, text } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, EndpointKey, EndpointRow, EndpointsAsked } from '../store.ts'
import { note, one, undo } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columns = 'bucket, endpoint_id, merchant_id, url, secret, secret_before, before_ends_at, created_at'

const insertRow = sql`
  insert into webhook_endpoints (${columns}) values (${places(8)}) on conflict (bucket, merchant_id, url) do nothing returning url`
const countRows = sql`select count(*) as endpoints from webhook_endpoints where bucket = $1 and merchant_id = $2`

/** Keeps an endpoint; false when the merchant has this URL already, or as many as it may have. */
export function* insertEndpoint(ask: { endpoint: EndpointRow; endpointsMax: number; audit: AuditNote }): Unit<boolean> {
  const { endpoint } = ask
  const inserted = yield* one(insertRow, [
    ...[endpoint.bucket, endpoint.endpointId, endpoint.merchantId, endpoint.url],
    ...[endpoint.secret, endpoint.secretBefore, endpoint.beforeEndsAt, endpoint.createdAt],
  ])
  const counted = inserted === null ? null : yield* one(countRows, [endpoint.bucket, endpoint.merchantId])
  if (counted === null || integer(counted, 'endpoints') > ask.endpointsMax) {
    yield* undo()
    return false
  }
  yield* note(ask.audit)
  return true
}

const selectRows = sql`
  select ${columns} from webhook_endpoints where bucket = $1 and merchant_id = $2 order by created_at, endpoint_id`

/** A merchant's endpoints, oldest first. */
export function listEndpoints({ bucket, merchantId }: EndpointsAsked): Read<EndpointRow[]> {
  return { statement: selectRows, values: [bucket, merchantId], tell: (found) => found.map(tellEndpoint) }
}

const updateSecrets = sql`
  update webhook_endpoints set secret = $4, secret_before = $5, before_ends_at = $6
  where bucket = $1 and endpoint_id = $2 and merchant_id = $3 and secret = $7 returning url`

/** Puts other secrets in place, if the secret is still the one that was read. */
export function* changeSecrets(ask: { next: EndpointRow; before: Uint8Array; audit: AuditNote }): Unit<boolean> {
  const { bucket, endpointId, merchantId, secret, secretBefore, beforeEndsAt } = ask.next
  const values = [bucket, endpointId, merchantId, secret, secretBefore, beforeEndsAt, ask.before]
  if ((yield* one(updateSecrets, values)) === null) return false
  yield* note(ask.audit)
  return true
}

const deleteRow = sql`
  delete from webhook_endpoints where bucket = $1 and endpoint_id = $2 and merchant_id = $3 returning url`

/** Removes an endpoint. What waits for it is found without one, and given up. */
export function* removeEndpoint(ask: { key: EndpointKey; audit: AuditNote }): Unit<boolean> {
  const { bucket, endpointId, merchantId } = ask.key
  if ((yield* one(deleteRow, [bucket, endpointId, merchantId])) === null) return false
  yield* note(ask.audit)
  return true
}

export function tellEndpoint(row: Row): EndpointRow {
  return {
    bucket: integer(row, 'bucket'),
    endpointId: text(row, 'endpoint_id'),
    merchantId: text(row, 'merchant_id'),
    url: text(row, 'url'),
    secret: bytes(row, 'secret'),
    secretBefore: row['secret_before'] === null ? null : bytes(row, 'secret_before'),
    beforeEndsAt: integer(row, 'before_ends_at'),
    createdAt: integer(row, 'created_at'),
  }
}
