import { sql } from '../statement.ts'
import type { ReceiptChange, ReceiptKey } from '../store.ts'
import { one, rows } from '../unit.ts'
import type { Unit } from '../unit.ts'

// A receipt that holds the lock already takes it again.
const takeLock = sql`
  insert into card_locks (bucket, card_id, merchant_id, receipt_id) values ($1, $2, $3, $4)
  on conflict (bucket, card_id) do update set receipt_id = excluded.receipt_id
  where card_locks.merchant_id = excluded.merchant_id and card_locks.receipt_id = excluded.receipt_id
  returning card_id`

const releaseLock = sql`delete from card_locks where bucket = $1 and card_id = $2 and merchant_id = $3 and receipt_id = $4`

/** Locks a card for a receipt or lets it go; false when another receipt holds it. Only the holder's release lets go. */
export function* moveCardLock(receipt: ReceiptKey, lock: NonNullable<ReceiptChange['cardLock']>): Unit<boolean> {
  const values = [receipt.bucket, lock.cardId, receipt.merchantId, receipt.receiptId]
  if (lock.move === 'take') return (yield* one(takeLock, values)) !== null
  yield* rows(releaseLock, values)
  return true
}
