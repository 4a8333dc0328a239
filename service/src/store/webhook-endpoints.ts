import type { AuditEntry } from './audit.ts'
import { text, integer, timestamp, bytes, rowMac, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, rollback, runOne, writeAudit } from './transaction.ts'

export interface EndpointKey extends MerchantKey {
  readonly endpointId: string
}

// prettier-ignore
export const webhookEndpointsTable = table('webhook_endpoints', {
  bucket:               integer().key(),
  endpointId:           text().key(),
  merchantId:           text(),
  url:                  text(),
  secret:               bytes(),                                   // sealed; signs deliveries
  previousSecret:       bytes().nullable().named('secret_before'), // sealed; during a rotation it signs too, until `previousSecretEndsAt`
  previousSecretEndsAt: timestamp().named('before_ends_at'),       // 0 without a previous secret
  createdAt:            timestamp(),
  mac:                  rowMac(),
})

export type EndpointRow = RowOf<typeof webhookEndpointsTable>

const insertRow = sql`
  ${webhookEndpointsTable.insertSql} on conflict (bucket, merchant_id, url) do nothing returning url`

const countRows = sql`select count(*) as endpoints from webhook_endpoints where bucket = $1 and merchant_id = $2`

/** Inserts an endpoint. Returns false when the merchant already has this URL, or `maxEndpoints` endpoints. */
export function* insertEndpoint({
  endpoint,
  maxEndpoints,
  audit,
}: {
  endpoint: EndpointRow
  maxEndpoints: number
  audit: AuditEntry
}): Transaction<boolean> {
  const inserted = yield* runOne(insertRow, webhookEndpointsTable.toValues(endpoint))
  const counted = inserted === null ? null : yield* runOne(countRows, [endpoint.bucket, endpoint.merchantId])
  if (counted === null || readInteger(counted, 'endpoints') > maxEndpoints) {
    return yield* rollback(false)
  }
  yield* writeAudit(audit)
  return true
}

const selectRows = sql`
  select ${webhookEndpointsTable.columns} from webhook_endpoints where bucket = $1 and merchant_id = $2 order by created_at, endpoint_id`

/** A merchant's endpoints, oldest first. */
export function listEndpoints({ bucket, merchantId }: MerchantKey): Read<EndpointRow[]> {
  return { statement: selectRows, values: [bucket, merchantId], map: (rows) => rows.map(webhookEndpointsTable.fromRow) }
}

const updateSecrets = sql`
  update webhook_endpoints set secret = $4, secret_before = $5, before_ends_at = $6, mac = $7
  where bucket = $1 and endpoint_id = $2 and merchant_id = $3 and mac = $8 returning url`

/** Replaces the secrets in the row whose MAC is `previousMac`. Returns false when the endpoint is deleted or another change came first. */
export function* updateEndpointSecrets({
  endpoint,
  previousMac,
  audit,
}: {
  endpoint: EndpointRow
  previousMac: Uint8Array
  audit: AuditEntry
}): Transaction<boolean> {
  const { bucket, endpointId, merchantId, secret, previousSecret, previousSecretEndsAt, mac } = endpoint
  const values = [bucket, endpointId, merchantId, secret, previousSecret, previousSecretEndsAt, mac, previousMac]
  if ((yield* runOne(updateSecrets, values)) === null) return false
  yield* writeAudit(audit)
  return true
}

const deleteRow = sql`
  delete from webhook_endpoints where bucket = $1 and endpoint_id = $2 and merchant_id = $3 returning url`

/** Deletes an endpoint; its waiting deliveries are given up. Returns false when there is none. */
export function* deleteEndpoint({ key, audit }: { key: EndpointKey; audit: AuditEntry }): Transaction<boolean> {
  const { bucket, endpointId, merchantId } = key
  if ((yield* runOne(deleteRow, [bucket, endpointId, merchantId])) === null) return false
  yield* writeAudit(audit)
  return true
}
