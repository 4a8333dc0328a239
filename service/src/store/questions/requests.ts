import { integer, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { RequestRow, RequestsAsk, RequestsOf, TimePlace, WholeRequestRow } from '../store.ts'
import { rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columns = 'bucket, merchant_id, at, request_id, method, profile, code, reason, micros, caller, card_id, lost, lost_from'

const insertRow = sql`insert into request_log (${columns}, bytes, detail) values (${places(15)}) on conflict do nothing`

export function* appendRequests({ requests }: { readonly requests: readonly WholeRequestRow[] }): Unit<void> {
  for (const row of requests) {
    const { bucket, merchantId, at, requestId, method, profile, code, reason, micros, caller, cardId, lost, lostFrom } = row
    const values = [bucket, merchantId, at, requestId, method, profile, code, reason, micros, caller, cardId, lost, lostFrom]
    yield* rows(insertRow, [...values, row.bytes, row.detail])
  }
}

const selectNewest = sql`
  select ${columns} from request_log where bucket = $1 and merchant_id = $2 and (at, request_id) < ($3, $4) and at >= $5
  order by at desc, request_id desc limit $6`

// The words of the partial index, so that it is used.
const selectOfCard = sql`
  select ${columns} from request_log where bucket = $1 and merchant_id = $2 and card_id <> '' and card_id = $7
    and (at, request_id) < ($3, $4) and at >= $5
  order by at desc, request_id desc limit $6`

/** A page of a merchant's calls, newest first, from behind `after`. */
export function listRequests({ bucket, merchantId, after, from, count, cardId }: RequestsAsk): Read<RequestRow[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const values = [bucket, merchantId, at, id, from, count]
  const tell = (found: readonly Row[]): RequestRow[] => found.map(tellRow)
  return cardId === null ? { statement: selectNewest, values, tell } : { statement: selectOfCard, values: [...values, cardId], tell }
}

const selectOne = sql`
  select ${columns}, bytes, detail from request_log where bucket = $1 and merchant_id = $2 and request_id = $3 limit 1`

export function findRequest({ bucket, merchantId, requestId }: RequestsOf & { readonly requestId: string }): Read<WholeRequestRow | null> {
  return {
    statement: selectOne,
    values: [bucket, merchantId, requestId],
    tell: ([row]) => (row === undefined ? null : { ...tellRow(row), bytes: integer(row, 'bytes'), detail: text(row, 'detail') }),
  }
}

const selectBehind = sql`
  select at, request_id from request_log where bucket = $1 and merchant_id = $2 order by at desc, request_id desc limit 1 offset $3`

/** Counts along the key to behind the newest `keep` rows. */
export function findRequestBehind({ bucket, merchantId, keep }: RequestsOf & { readonly keep: number }): Read<TimePlace | null> {
  return {
    statement: selectBehind,
    values: [bucket, merchantId, keep],
    tell: ([row]) => (row === undefined ? null : { at: integer(row, 'at'), id: text(row, 'request_id') }),
  }
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropOf = sql`
  delete from request_log where (bucket, merchant_id, at, request_id) in
    (select bucket, merchant_id, at, request_id from request_log
      where bucket = $1 and merchant_id = $2 and (at, request_id) <= ($3, $4) order by at, request_id limit ${DROP_PAGE})
  returning at`

export function* dropRequestsOf({ bucket, merchantId, upTo }: RequestsOf & { readonly upTo: TimePlace }): Unit<number> {
  return (yield* rows(dropOf, [bucket, merchantId, upTo.at, upTo.id])).length
}

const dropOld = sql`
  delete from request_log where (bucket, merchant_id, at, request_id) in
    (select bucket, merchant_id, at, request_id from request_log where at / 3600000 < cast($1 as bigint) order by at / 3600000
      limit ${DROP_PAGE})
  returning at`

/** Drops a page of what was answered before the hour of a moment. */
export function* dropRequests({ before }: { readonly before: number }): Unit<number> {
  return (yield* rows(dropOld, [Math.floor(before / HOUR_MS)])).length
}

function tellRow(row: Row): RequestRow {
  return {
    ...{ bucket: integer(row, 'bucket'), merchantId: text(row, 'merchant_id'), at: integer(row, 'at') },
    ...{ requestId: text(row, 'request_id'), method: text(row, 'method'), profile: word(row, 'profile', ['spec', 'subscribe']) },
    ...{ code: integer(row, 'code'), reason: text(row, 'reason'), micros: integer(row, 'micros') },
    ...{ caller: word(row, 'caller', ['server', 'browser', 'unproved']), cardId: text(row, 'card_id') },
    ...{ lost: integer(row, 'lost'), lostFrom: integer(row, 'lost_from') },
  }
}

const HOUR_MS = 3_600_000
