import { bytes, integer, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { IdempotencyAnswer, IdempotencyClaim, IdempotencyKey, IdempotencyRow } from '../store.ts'
import { one, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columnList = [
  ...['bucket', 'merchant_id', 'caller_class', 'key_hash', 'identity', 'hash_key_id', 'claimed_at', 'lease_until', 'ends_at', 'method'],
  ...['subject', 'request_id', 'sealed'],
]
const columns = columnList.join(', ')

const insertRow = `
  insert into idempotency (${columns}) values (${places(columnList.length)})
  on conflict (bucket, merchant_id, caller_class, key_hash) do update set ${columnList
    .slice(4)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}
  where idempotency.ends_at <= excluded.claimed_at`

// A row whose time is over but that was not dropped yet is as good as gone.
const claimRow = sql`${insertRow} returning method`

/** Claims a key, answered from the start where there is an answer; false when it is taken. */
export function* claimKey(claim: IdempotencyClaim, answer: IdempotencyAnswer | null): Unit<boolean> {
  return (yield* one(claimRow, claimValues(claim, answer))) !== null
}

const answerRow = sql`
  update idempotency set sealed = $5
  where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4 and sealed is null
  returning method`

/** Answers a claim, for those who wait for it; what was answered stays. */
export function* answerKey(answer: IdempotencyAnswer | null): Unit<void> {
  if (answer !== null) yield* rows(answerRow, [...keyValues(answer), answer.sealed])
}

const deleteRow = sql`delete from idempotency where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4`

/** Lets go of what this unit claimed, where it found nothing to do. */
export function* releaseKey(key: IdempotencyKey): Unit<void> {
  yield* rows(deleteRow, keyValues(key))
}

// Whoever claimed it in a unit before may answer it, and a twin when the lease passed without an answer: then it has settled what happened.
const keepRow = sql`${insertRow}
  or idempotency.sealed is null and idempotency.identity = excluded.identity
    and (idempotency.request_id = excluded.request_id and excluded.request_id <> '' or idempotency.lease_until <= excluded.claimed_at)
  returning method`

/** Keeps an outcome that had no unit of its own; false when the key was taken by another. */
export function* keepIdempotency(ask: { claim: IdempotencyClaim; answer: IdempotencyAnswer }): Unit<boolean> {
  return (yield* one(keepRow, claimValues(ask.claim, ask.answer))) !== null
}

const selectRow = sql`
  select ${columns} from idempotency where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4`

export function findIdempotency(key: IdempotencyKey): Read<IdempotencyRow | null> {
  return { statement: selectRow, values: keyValues(key), tell: ([row]) => (row === undefined ? null : tellRow(row)) }
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropRows = sql`
  delete from idempotency where (bucket, merchant_id, caller_class, key_hash) in
    (select bucket, merchant_id, caller_class, key_hash from idempotency where ends_at < $1 order by ends_at limit ${DROP_PAGE})
  returning method`

/** Drops a page of keys whose time ended before a moment; tells how many. */
export function* dropIdempotency(ask: { before: number }): Unit<number> {
  return (yield* rows(dropRows, [ask.before])).length
}

function keyValues(key: IdempotencyKey): Value[] {
  return [key.bucket, key.merchantId, key.callerClass, key.keyHash]
}

function claimValues(claim: IdempotencyClaim, answer: IdempotencyAnswer | null): Value[] {
  return [
    ...[...keyValues(claim), claim.identity, claim.hashKeyId, claim.claimedAt, claim.leaseUntil, claim.endsAt, claim.method],
    ...[claim.subject, claim.requestId ?? '', answer?.sealed ?? null],
  ]
}

function tellRow(row: Row): IdempotencyRow {
  const requestId = text(row, 'request_id')
  return {
    bucket: integer(row, 'bucket'),
    merchantId: text(row, 'merchant_id'),
    callerClass: word(row, 'caller_class', ['server', 'browser']),
    keyHash: bytes(row, 'key_hash'),
    identity: bytes(row, 'identity'),
    hashKeyId: text(row, 'hash_key_id'),
    claimedAt: integer(row, 'claimed_at'),
    leaseUntil: integer(row, 'lease_until'),
    endsAt: integer(row, 'ends_at'),
    method: text(row, 'method'),
    subject: text(row, 'subject'),
    sealed: row['sealed'] === null ? null : bytes(row, 'sealed'),
    ...(requestId === '' ? {} : { requestId }),
  }
}
