import { text, bytes, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, run } from './transaction.ts'

// prettier-ignore
export const merchantLogosTable = table('merchant_logos', {
  merchantId: text().key(),
  png:        bytes(),
  storedAt:   timestamp(),
}, 'an image is served only while it has the SHA-256 that its merchant’s settings name, which their MAC covers')

/** The logo of a merchant, for the hosted page. */
export type MerchantLogoRow = RowOf<typeof merchantLogosTable>

const upsertRow = sql`${merchantLogosTable.insertSql} on conflict (merchant_id) do update ${merchantLogosTable.replaceSql} returning merchant_id`

export function* replaceMerchantLogo(logo: MerchantLogoRow): Transaction<void> {
  yield* run(upsertRow, merchantLogosTable.toValues(logo))
}

const deleteRow = sql`delete from merchant_logos where merchant_id = $1 returning merchant_id`

export function* deleteMerchantLogo({ merchantId }: Pick<MerchantLogoRow, 'merchantId'>): Transaction<void> {
  yield* run(deleteRow, [merchantId])
}

export function findMerchantLogo(merchantId: string): Read<MerchantLogoRow | null> {
  return {
    statement: merchantLogosTable.selectStatement,
    values: [merchantId],
    map: ([row]) => (row === undefined ? null : merchantLogosTable.fromRow(row)),
  }
}
