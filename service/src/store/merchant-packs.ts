import type { AuditEntry } from './audit.ts'
import { integer, rowMac, text, timestamp } from './columns.ts'
import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run, writeAudit } from './transaction.ts'

// prettier-ignore
export const merchantPacksTable = table('merchant_packs', {
  bucket:      integer().key(),
  merchantId:  text().key(),
  pack:        text(),      // one line of JSON, signed by the operator
  publishedAt: timestamp(),
  mac:         rowMac(),
})

/** The evidence that the operator has published for a merchant. */
export type MerchantPackRow = RowOf<typeof merchantPacksTable>

const upsertPack = sql`
  ${merchantPacksTable.insertSql} on conflict (bucket, merchant_id) do update ${merchantPacksTable.replaceSql}`

/** Publishes a pack in place of the one before. */
export function* replaceMerchantPack({ pack, audit }: { readonly pack: MerchantPackRow; readonly audit: AuditEntry }): Transaction<void> {
  yield* run(upsertPack, merchantPacksTable.toValues(pack))
  yield* writeAudit(audit)
}

export function findMerchantPack({ bucket, merchantId }: MerchantKey): Read<MerchantPackRow | null> {
  return {
    statement: merchantPacksTable.selectStatement,
    values: [bucket, merchantId],
    map: ([row]) => (row === undefined ? null : merchantPacksTable.fromRow(row)),
  }
}
