import type { AuditEntry } from './audit.ts'
import { text, integer, timestamp, bytes, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, rollback, runOne, writeAudit } from './transaction.ts'

export interface EndpointKey extends MerchantKey {
  readonly endpointId: string
}

// prettier-ignore
export const webhookEndpointsTable = table('webhook_endpoints', {
  bucket:       integer().key(),
  endpointId:   text().key(),
  merchantId:   text(),
  url:          text(),
  secret:       bytes(),             // sealed; what is signed with
  secretBefore: bytes().nullable(),  // sealed; signed with as well until `beforeEndsAt`, during a rotation
  beforeEndsAt: timestamp(),         // 0 without one
  createdAt:    timestamp(),
})

export type EndpointRow = RowOf<typeof webhookEndpointsTable>

const insertRow = sql`
  ${webhookEndpointsTable.insertSql} on conflict (bucket, merchant_id, url) do nothing returning url`

const countRows = sql`select count(*) as endpoints from webhook_endpoints where bucket = $1 and merchant_id = $2`

/** Inserts an endpoint. False when the merchant has this URL already, or as many endpoints as it may have. */
export function* insertEndpoint(ask: { endpoint: EndpointRow; maxEndpoints: number; audit: AuditEntry }): Transaction<boolean> {
  const { endpoint } = ask
  const inserted = yield* runOne(insertRow, [
    endpoint.bucket,
    endpoint.endpointId,
    endpoint.merchantId,
    endpoint.url,
    endpoint.secret,
    endpoint.secretBefore,
    endpoint.beforeEndsAt,
    endpoint.createdAt,
  ])
  const counted = inserted === null ? null : yield* runOne(countRows, [endpoint.bucket, endpoint.merchantId])
  if (counted === null || readInteger(counted, 'endpoints') > ask.maxEndpoints) {
    return yield* rollback(false)
  }
  yield* writeAudit(ask.audit)
  return true
}

const selectRows = sql`
  select ${webhookEndpointsTable.columns} from webhook_endpoints where bucket = $1 and merchant_id = $2 order by created_at, endpoint_id`

/** A merchant's endpoints, oldest first. */
export function listEndpoints({ bucket, merchantId }: MerchantKey): Read<EndpointRow[]> {
  return { statement: selectRows, values: [bucket, merchantId], map: (rows) => rows.map(webhookEndpointsTable.fromRow) }
}

const updateSecrets = sql`
  update webhook_endpoints set secret = $4, secret_before = $5, before_ends_at = $6
  where bucket = $1 and endpoint_id = $2 and merchant_id = $3 and secret = $7 returning url`

/** Replaces the secrets. False when the endpoint is deleted or its secret is no longer `previousSecret`. */
export function* updateEndpointSecrets(ask: {
  endpoint: EndpointRow
  previousSecret: Uint8Array
  audit: AuditEntry
}): Transaction<boolean> {
  const { bucket, endpointId, merchantId, secret, secretBefore, beforeEndsAt } = ask.endpoint
  const values = [bucket, endpointId, merchantId, secret, secretBefore, beforeEndsAt, ask.previousSecret]
  if ((yield* runOne(updateSecrets, values)) === null) return false
  yield* writeAudit(ask.audit)
  return true
}

const deleteRow = sql`
  delete from webhook_endpoints where bucket = $1 and endpoint_id = $2 and merchant_id = $3 returning url`

/** Deletes an endpoint; its waiting deliveries are given up. False when there is none. */
export function* deleteEndpoint(ask: { key: EndpointKey; audit: AuditEntry }): Transaction<boolean> {
  const { bucket, endpointId, merchantId } = ask.key
  if ((yield* runOne(deleteRow, [bucket, endpointId, merchantId])) === null) return false
  yield* writeAudit(ask.audit)
  return true
}
