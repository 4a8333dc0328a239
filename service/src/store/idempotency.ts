import { type Value, sql, withMany } from './statement.ts'
import { bytes, integer, oneOf, rowMac, text, timestamp } from './columns.ts'
import { keyNames, readRow, valuesOf } from './row-pages.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run, runOne, execute, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const idempotencyTable = table('idempotency', {
  bucket:      integer().key(),
  merchantId:  text().key(),
  callerClass: oneOf('server', 'browser').key(),
  keyHash:     bytes().key(),                    // keyed hash of the header's value
  identity:    bytes(),                          // keyed hash of profile, method and canonical params
  hashKeyId:   text(),
  claimedAt:   timestamp(),
  leaseUntil:  timestamp(),                      // until then a duplicate request waits; afterwards it reconciles the outcome, and never runs the operation again
  endsAt:      timestamp(),                      // when the record may be deleted
  method:      text(),
  subject:     text(),                           // id of the receipt, card or attempt by which an expired claim is resolved
  requestId:   text(),                           // our id of the request that made the claim; '' without one
  processId:   text().notCovered('decides only whether a duplicate request waits'), // of the process that made the claim; '' when unknown
  sealed:      bytes().nullable().notCovered('the outcome, sealed under the request itself'), // null until there is one
  mac:         rowMac(),
})

export type IdempotencyRow = RowOf<typeof idempotencyTable>

export type IdempotencyKey = Pick<IdempotencyRow, 'bucket' | 'merchantId' | 'callerClass' | 'keyHash'>

/** A record without an outcome. */
export type IdempotencyClaim = Omit<IdempotencyRow, 'sealed'>

export interface IdempotencyOutcome extends IdempotencyKey {
  readonly sealed: Uint8Array
}

// A record past its `ends_at` counts as deleted.
const replaceEnded = `
  on conflict (bucket, merchant_id, caller_class, key_hash) do update ${idempotencyTable.replaceSql}
  where idempotency.ends_at <= excluded.claimed_at`

const upsertSql = `${idempotencyTable.insertSql} ${replaceEnded}`

const key = ['bucket', 'merchant_id', 'caller_class', 'key_hash']

const claimKey = withMany(
  sql`${upsertSql} returning method`,
  `${idempotencyTable.insertRowsSql} ${replaceEnded} returning ${key.join(', ')}`,
  {
    columns: idempotencyTable.names.length,
    key,
  },
)

/** Claims a key, with its outcome when that is already known. Returns false when another request has the key. */
export function* claimIdempotencyKey(claim: IdempotencyClaim, outcome: IdempotencyOutcome | null): Transaction<boolean> {
  return (yield* runOne(claimKey, claimValues(claim, outcome))) !== null
}

const updateOutcome = sql`
  update idempotency set sealed = $5
  where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4 and sealed is null
  returning method`

/** Stores the outcome of a claim for the duplicate requests that wait for it. Never overwrites an outcome. */
export function* storeIdempotencyOutcome(outcome: IdempotencyOutcome | null): Transaction<void> {
  if (outcome !== null) yield* execute(updateOutcome, [...keyValues(outcome), outcome.sealed])
}

const deleteClaim = sql`delete from idempotency where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4`

/** Releases the key claimed by a transaction that then changed nothing. */
export function* releaseIdempotencyKey(key: IdempotencyKey): Transaction<void> {
  yield* execute(deleteClaim, keyValues(key))
}

// The request that made the claim may store its outcome, and so may a duplicate request after the lease, when it has reconciled the outcome.
const upsertOutcome = sql`${upsertSql}
  or idempotency.sealed is null and idempotency.identity = excluded.identity
    and (idempotency.request_id = excluded.request_id and excluded.request_id <> '' or idempotency.lease_until <= excluded.claimed_at)
  returning method`

export interface SaveIdempotencyOutcome {
  readonly claim: IdempotencyClaim
  readonly outcome: IdempotencyOutcome
}

/**
 * Stores an outcome with its claim where no other transaction does. Returns false when another request has the key, unless its lease is over and it
 * has no outcome.
 */
export function* saveIdempotencyOutcome({ claim, outcome }: SaveIdempotencyOutcome): Transaction<boolean> {
  return (yield* runOne(upsertOutcome, claimValues(claim, outcome))) !== null
}

const updateLease = sql`
  update idempotency set lease_until = $6, mac = $7
  where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4 and request_id = $5 and sealed is null and lease_until > $6
  returning method`

/**
 * Ends the lease of a claim early: its request has ended without storing an outcome, so nothing outside is under way for it. `claim` is the stored row
 * with its new end and MAC. Returns false when there is no such claim, or it has an outcome.
 */
export function* endIdempotencyLease({ claim }: { readonly claim: IdempotencyClaim }): Transaction<boolean> {
  return (yield* runOne(updateLease, [...keyValues(claim), claim.requestId, claim.leaseUntil, claim.mac])) !== null
}

const selectRecord = sql`
  select ${idempotencyTable.columns} from idempotency where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4`

export function findIdempotencyRecord(key: IdempotencyKey): Read<IdempotencyRow | null> {
  return { statement: selectRecord, values: keyValues(key), map: ([row]) => (row === undefined ? null : idempotencyTable.fromRow(row)) }
}

const selectEndingFrom = sql`
  select ${idempotencyTable.columns} from idempotency
  where ends_at >= $1 and (ends_at, bucket, merchant_id, caller_class, key_hash) > ($1, $2, $3, $4, $5)
  order by ends_at, bucket, merchant_id, caller_class, key_hash limit $6`

/** A page of the records that end at a time or later, in that order. One that cannot be read has the name of its column. */
export function listRecordsEndingFrom({ endsAt, after, count }: RecordPageQuery): Read<RecordPage> {
  return {
    statement: selectEndingFrom,
    values: [...(after ?? [endsAt, -1, '', '', new Uint8Array(0)]), count],
    map(rows) {
      const last = rows.length < count ? undefined : rows.at(-1)
      return {
        records: rows.map((row) => readRow(idempotencyTable, row)),
        next: last === undefined ? null : valuesOf(last, ['ends_at', ...keyNames(idempotencyTable)]),
      }
    },
  }
}

export interface RecordPage {
  readonly records: readonly (IdempotencyRow | { readonly brokenAt: string })[]
  /** Where the next page begins; null: this is the last one. */
  readonly next: readonly Value[] | null
}

export interface RecordPageQuery {
  readonly endsAt: number
  /** `next` of the page before. */
  readonly after: RecordPage['next']
  readonly count: number
}

const moveLease = sql`
  update idempotency set lease_until = $5, mac = $6
  where bucket = $1 and merchant_id = $2 and caller_class = $3 and key_hash = $4 and mac = $7 and sealed is null
  returning method`

/** Gives a claim another end of its lease. `claim` is the stored row with it and its MAC. Returns false when it was changed since, or has an outcome. */
export function* moveIdempotencyClaim({
  claim,
  previousMac,
}: {
  readonly claim: IdempotencyClaim
  readonly previousMac: Uint8Array
}): Transaction<boolean> {
  return (yield* runOne(moveLease, [...keyValues(claim), claim.leaseUntil, claim.mac, previousMac])) !== null
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from idempotency where (bucket, merchant_id, caller_class, key_hash) in
    (select bucket, merchant_id, caller_class, key_hash from idempotency where ends_at < $1 order by ends_at limit ${deletedRowsMax})
  returning method`

/** Deletes a page of records that ended before a time; returns how many. */
export function* deleteOldIdempotencyRecords({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}

function keyValues(key: IdempotencyKey): Value[] {
  return [key.bucket, key.merchantId, key.callerClass, key.keyHash]
}

function claimValues(claim: IdempotencyClaim, outcome: IdempotencyOutcome | null): Value[] {
  return idempotencyTable.toValues({ ...claim, sealed: outcome?.sealed ?? null })
}
