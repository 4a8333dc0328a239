import type { AuditEntry } from './audit.ts'
import { integer, oneOf, quotedText, readInteger, rowMac, text, timestamp } from './columns.ts'
import type { MerchantKey } from './merchants.ts'
import { type EventRow, insertEvents } from './outbox.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run, runOne, writeAudit } from './transaction.ts'

// prettier-ignore
export const pageWatchesTable = table('page_watches', {
  bucket:     integer().key(),
  merchantId: text().key(),
  pageId:     text().key(),                                        // 24 hex digits of the SHA-256 of the address
  page:       quotedText(),                                        // its address without query
  state:      oneOf('new', 'unchanged', 'changed', 'unreadable'),
  baseline:   text(),                                              // JSON: what the page was; '' before the first reading
  changes:    text(),                                              // JSON: what differed when it last changed
  reading:    timestamp(),                                         // from the time of the check, raised by each claim and result: one process reads a page
  failures:   integer(),                                           // readings since the last one that succeeded
  dueAt:      timestamp(),
  readAt:     timestamp(),                                         // the last reading that succeeded; 0 before the first
  changedAt:  timestamp(),                                         // 0: not since a person checked the page
  mac:        rowMac(),
})

/** A page that is read again by the schedule (PCI DSS 11.6.1): what it was, and what came of the last reading. */
export type PageWatchRow = RowOf<typeof pageWatchesTable>

const upsertWatch = sql`
  ${pageWatchesTable.insertSql}
  on conflict (bucket, merchant_id, page_id) do update ${pageWatchesTable.replaceSql}`

// Checks are stored up to a limit; the oldest page beyond it is no longer read.
const deleteWithoutCheck = sql`
  delete from page_watches where bucket = $1 and merchant_id = $2 and page not in
    (select page from page_checks where bucket = $1 and merchant_id = $2)`

/** Watches a page, from a new baseline; called after its check was stored. Watches of pages that are no longer stored end. */
export function* writeWatch(watch: PageWatchRow): Transaction<void> {
  yield* run(upsertWatch, pageWatchesTable.toValues(watch))
  yield* endWatches(watch)
}

/** Ends the watches of pages that have no stored check. */
export function* endWatches({ bucket, merchantId }: MerchantKey): Transaction<void> {
  yield* run(deleteWithoutCheck, [bucket, merchantId])
}

const deleteWatch = sql`delete from page_watches where bucket = $1 and merchant_id = $2 and page_id = $3 returning page_id`

/** Ends the watch of a page; what a reading in progress finds is not stored. False when it is not watched. */
export function* endWatch({ watch, audit }: { readonly watch: PageWatchKey; readonly audit: AuditEntry }): Transaction<boolean> {
  if ((yield* runOne(deleteWatch, [watch.bucket, watch.merchantId, watch.pageId])) === null) return false
  yield* writeAudit(audit)
  return true
}

export type PageWatchKey = Pick<PageWatchRow, 'bucket' | 'merchantId' | 'pageId'>

const selectDue = sql`select ${pageWatchesTable.columns} from page_watches where due_at <= $1 order by due_at limit $2`

/** Pages that are due to be read, the oldest first. */
export function listDuePageWatches({ now, count }: { readonly now: number; readonly count: number }): Read<PageWatchRow[]> {
  return { statement: selectDue, values: [now, count], map: (rows) => rows.map(pageWatchesTable.fromRow) }
}

const selectWatches = sql`select ${pageWatchesTable.columns} from page_watches where bucket = $1 and merchant_id = $2 order by page`

export function listPageWatches({ bucket, merchantId }: MerchantKey): Read<PageWatchRow[]> {
  return { statement: selectWatches, values: [bucket, merchantId], map: (rows) => rows.map(pageWatchesTable.fromRow) }
}

const selectCounts = sql`select state, count(*) as pages, min(due_at) as due_at from page_watches group by state`

export interface PageWatchCount {
  readonly state: string
  readonly pages: number
  readonly dueAt: number
}

/** How many pages are in each state, and the earliest time at which one of them is due. */
export function countPageWatches(): Read<PageWatchCount[]> {
  return {
    statement: selectCounts,
    values: [],
    map: (rows) =>
      rows.map((row) => ({ state: String(row['state']), pages: readInteger(row, 'pages'), dueAt: readInteger(row, 'due_at') })),
  }
}

// A page that was never read has been waiting since its check, whose time is the first value of reading.
const selectReadings = sql`
  select count(*) as watched,
    sum(case when (case when read_at = 0 then reading else read_at end) < $1 and due_at < $2 then 1 else 0 end) as late,
    sum(case when (case when read_at = 0 then reading else read_at end) < $1 and due_at >= $2 then 1 else 0 end) as silent,
    sum(case when changed_at <> 0 then 1 else 0 end) as changed
  from page_watches`

/** How many pages are read again, and how they are read. */
export interface PageReadingCount {
  readonly watched: number
  /** Not read since the time that was asked for, and due: nobody has tried. */
  readonly late: number
  /** Not read since then either, although they were tried in time: they do not respond. */
  readonly silent: number
  /** Have changed since a person checked them. */
  readonly changed: number
}

/** Counts pages by whether they were read after `readAfter`, and, of those that were not, by whether they have been due since before `dueBefore`. */
export function countPageReadings(readAfter: number, dueBefore: number): Read<PageReadingCount> {
  return {
    statement: selectReadings,
    values: [readAfter, dueBefore],
    map: ([row]) =>
      row === undefined || row['late'] === null
        ? { watched: 0, late: 0, silent: 0, changed: 0 }
        : {
            watched: readInteger(row, 'watched'),
            late: readInteger(row, 'late'),
            silent: readInteger(row, 'silent'),
            changed: readInteger(row, 'changed'),
          },
  }
}

// The condition is what one of several processes wins. What another one has changed in the meantime stays.
const updateWatch = sql`
  update page_watches set page = $4, state = $5, baseline = $6, changes = $7, reading = $8, failures = $9, due_at = $10, read_at = $11,
    changed_at = $12, mac = $13
  where bucket = $1 and merchant_id = $2 and page_id = $3 and reading = $14 returning page_id`

export interface PageWatchChange {
  /** The row with the change; its `reading` is one more than that of the row that was read. */
  readonly watch: PageWatchRow
  readonly events?: readonly EventRow[]
  readonly audit?: AuditEntry | null
}

/** Claims a page, or stores what came of its reading. False when another process was first, or a person has checked the page since. */
export function* changePageWatch({ watch, events = [], audit = null }: PageWatchChange): Transaction<boolean> {
  if ((yield* runOne(updateWatch, [...pageWatchesTable.toValues(watch), watch.reading - 1])) === null) return false
  yield* insertEvents(events)
  if (audit !== null) yield* writeAudit(audit)
  return true
}
