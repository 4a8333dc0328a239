import type { ReceiptListQuery } from '../receipts.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'
import type { StoreUnderTest } from './opened.fixture.ts'

/** Fills a store with receipts of two merchants, a second apart, one in a hundred due; then updates the planner's statistics. */
export async function fillReceipts(raw: StoreUnderTest['raw'], dialect: 'sqlite' | 'postgres', count = 20_000): Promise<void> {
  const [series, hex, empty] =
    dialect === 'sqlite'
      ? [
          `(with recursive up(n) as (select 1 union all select n + 1 from up where n < ${count}) select n from up)`,
          `printf('%024x', n)`,
          `x''`,
        ]
      : [`generate_series(1, ${count}) as up(n)`, `lpad(to_hex(n), 24, '0')`, `''::bytea`]
  await raw(`
    insert into receipts (bucket, receipt_id, merchant_id, state, version, mac, amount_tiyin, taken_tiyin, hold, description, account,
      card_id, masked_pan, card_expiry, one_time, network_ref, request_id, created_at, pay_time, cancel_time, unknown_since, flagged,
      due_at, looks)
    select ${bucket}, ${hex}, case when n % 2 = 0 then '${sampleMerchantId}' else '${'b'.repeat(24)}' end, 0, 1, ${empty}, 500000, 0, 0, '""',
      '[]', '', '', '', 0, '""', '', ${T0} + n * 1000, 0, 0, 0, 0, case when n % 100 = 0 then ${T0} + n else null end, 0
    from ${series}`)
  await raw('analyze receipts')
}

/** The deepest page that may be requested. */
export const deepReceiptPage: ReceiptListQuery = { bucket, merchantId: sampleMerchantId, from: T0, to: T0 + 1e9, count: 50, offset: 1000 }
