import type { AuditEntry } from './audit.ts'
import { bytes, coveredIfNotZero, coveredIfSet, integer, readInteger, rowMac, rowVersion, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { isOwnedBy, sql } from './statement.ts'
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
  version:              rowVersion().versionOf('endpointId'),
  types:                text().coveredAs(coveredIfSet('types')),             // event types that it gets, separated by blanks; '' for all
  disabledAt:           timestamp().coveredAs(coveredIfNotZero('disabled')), // since when it gets no events; 0 while it does
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
  update webhook_endpoints set secret = $4, secret_before = $5, before_ends_at = $6, mac = $7, version = $9
  where bucket = $1 and endpoint_id = $2 and ${isOwnedBy('$3')} and mac = $8 and version = $9 - 1 returning url`

/** Replaces the secrets in version `endpoint.version - 1`, whose MAC is `previousMac`. Returns false when the endpoint is deleted or another change came first. */
export function* updateEndpointSecrets({
  endpoint,
  previousMac,
  audit,
}: {
  endpoint: EndpointRow
  previousMac: Uint8Array
  audit: AuditEntry
}): Transaction<boolean> {
  const { bucket, endpointId, merchantId, secret, previousSecret, previousSecretEndsAt, mac, version } = endpoint
  const values = [bucket, endpointId, merchantId, secret, previousSecret, previousSecretEndsAt, mac, previousMac, version]
  if ((yield* runOne(updateSecrets, values)) === null) return false
  yield* writeAudit(audit)
  return true
}

const updateChoices = sql`
  update webhook_endpoints set types = $4, disabled_at = $5, mac = $6, version = $8
  where bucket = $1 and endpoint_id = $2 and ${isOwnedBy('$3')} and mac = $7 and version = $8 - 1 returning url`

/** Replaces which events an endpoint gets, in version `endpoint.version - 1`, whose MAC is `previousMac`. Returns false when another change came first. */
export function* updateEndpointChoices({
  endpoint,
  previousMac,
  audit,
}: {
  endpoint: EndpointRow
  previousMac: Uint8Array
  audit: AuditEntry
}): Transaction<boolean> {
  const { bucket, endpointId, merchantId, types, disabledAt, mac, version } = endpoint
  const values = [bucket, endpointId, merchantId, types, disabledAt, mac, previousMac, version]
  if ((yield* runOne(updateChoices, values)) === null) return false
  yield* writeAudit(audit)
  return true
}

const deleteRow = sql`
  delete from webhook_endpoints where bucket = $1 and endpoint_id = $2 and ${isOwnedBy('$3')} returning version`

/**
 * Deletes an endpoint; its waiting deliveries are given up. Returns false when there is none. The version in the audit is above that of the row, and at
 * least `audit.version`: the row may say less than it was when somebody changed it.
 */
export function* deleteEndpoint({ key, audit }: { key: EndpointKey; audit: AuditEntry }): Transaction<boolean> {
  const { bucket, endpointId, merchantId } = key
  const deleted = yield* runOne(deleteRow, [bucket, endpointId, merchantId])
  if (deleted === null) return false
  yield* writeAudit({ ...audit, version: Math.max(audit.version, readInteger(deleted, 'version') + 1) })
  return true
}
