import { readText } from './columns.ts'
import { placeholders, type Statement, sql } from './statement.ts'
import { type Transaction, run } from './transaction.ts'

// Each group of statements selects the same page of parent rows, and deletes the parents last. Every key begins with the bucket or the merchant, so
// that no statement reads more than the merchant's own rows.

const receiptPage = 'select receipt_id from receipts where bucket = $1 and merchant_id = $2 order by receipt_id limit 200'

const eventPage = 'select event_id from outbox where bucket = $1 and merchant_id = $2 order by event_id limit 200'

// Without cards that still hold a sealed PAN: they have to be shredded first, which is audited.
const cardPage =
  'select card_id from cards where bucket = $1 and merchant_id = $2 and length(blob) = 0 order by created_at desc, card_id desc limit 200'

const selectRequests = sql`select request_id from operations where bucket = $1 and merchant_id = $2 and receipt_id in (${receiptPage})`

/** One delete of the ledger names so many requests. */
const requestsMax = 100

// Apart, because the ledger is not stored by bucket: a distributed database has it on another node.
const deleteFromLedger = sql`
  delete from sandbox_ledger where merchant_id = $1 and request_id in (${placeholders(requestsMax, 2)}) returning request_id`

const statements: readonly Statement[] = [
  sql`delete from operations where bucket = $1 and merchant_id = $2 and receipt_id in (${receiptPage}) returning request_id`,
  sql`delete from card_locks where bucket = $1 and merchant_id = $2 and receipt_id in (${receiptPage}) returning receipt_id`,
  sql`delete from receipt_orders where bucket = $1 and merchant_id = $2 and value in
    (select value from receipt_orders where bucket = $1 and merchant_id = $2 order by value limit 200) returning receipt_id`,
  sql`delete from receipt_summaries where bucket = $1 and merchant_id = $2 and receipt_id in (${receiptPage}) returning receipt_id`,
  sql`delete from receipts where bucket = $1 and merchant_id = $2 and receipt_id in (${receiptPage}) returning receipt_id`,

  sql`delete from delivery_attempts where bucket = $1 and event_id in (${eventPage}) returning event_id`,
  sql`delete from deliveries where bucket = $1 and merchant_id = $2 and event_id in (${eventPage}) returning event_id`,
  sql`delete from outbox where bucket = $1 and merchant_id = $2 and event_id in (${eventPage}) returning event_id`,

  sql`delete from verifications where bucket = $1 and merchant_id = $2 and card_id in (${cardPage}) returning card_id`,
  sql`delete from cards where bucket = $1 and merchant_id = $2 and length(blob) = 0 and card_id in (${cardPage}) returning card_id`,

  sql`delete from idempotency where bucket = $1 and merchant_id = $2 and key_hash in
    (select key_hash from idempotency where bucket = $1 and merchant_id = $2 order by key_hash limit 200) returning method`,
  sql`delete from form_sessions where bucket = $1 and merchant_id = $2 and session_id in
    (select session_id from form_sessions where bucket = $1 and merchant_id = $2 order by session_id limit 200) returning session_id`,
  sql`delete from sms_inbox where merchant_id = $2 and id in
    (select id from sms_inbox where merchant_id = $2 order by id limit 200) and cast($1 as bigint) >= 0 returning id`,
  sql`delete from request_log where bucket = $1 and merchant_id = $2 and (at, request_id) in
    (select at, request_id from request_log where bucket = $1 and merchant_id = $2 order by at, request_id limit 200) returning request_id`,
  sql`delete from tallies where bucket = $1 and merchant_id = $2 and hour in
    (select hour from tallies where bucket = $1 and merchant_id = $2 order by hour limit 200) returning name`,
]

/**
 * Deletes one page of each kind of a sandbox merchant's data; returns how many rows. 0 means that nothing is left, except cards that have to be
 * shredded by `updateCard` first.
 */
export function* deleteTestData({ bucket, merchantId }: { bucket: number; merchantId: string }): Transaction<number> {
  let deleted = 0
  const requests = (yield* run(selectRequests, [bucket, merchantId])).map((row) => readText(row, 'request_id'))
  for (let at = 0; at < requests.length; at += requestsMax) {
    const page = Array.from({ length: requestsMax }, (_, each) => requests[at + each] ?? '')
    deleted += (yield* run(deleteFromLedger, [merchantId, ...page])).length
  }
  for (const statement of statements) deleted += (yield* run(statement, [bucket, merchantId])).length
  return deleted
}
