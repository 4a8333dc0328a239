import type { AuditEntry } from './audit.ts'
import type { MerchantKey } from './merchants.ts'
import { endWatches, type PageWatchRow, writeWatch } from './page-watches.ts'
import { type Row, sql } from './statement.ts'
import { integer, oneOf, quote, quotedText, readColumn, readInteger, readText, RowBroken, rowMac, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run, runOne, writeAudit } from './transaction.ts'

// prettier-ignore
export const pageChecksTable = table('page_checks', {
  bucket:     integer().key(),
  merchantId: text().key(),
  page:       quotedText().key(),  // its address without query, or `pasted`
  checkedAt:  timestamp(),
  checkedBy:  text(),
  errors:     integer(),
  warnings:   integer(),
  report:     text(),              // JSON, of bounded length
}, 'shown and counted only: nothing is decided by these rows')

/** The last check of one of a merchant's pages. */
export type PageCheckRow = RowOf<typeof pageChecksTable>

const scanned = 'as the last check found the script; a decision is bound to the fingerprint that was reviewed'

// prettier-ignore
export const pageScriptsTable = table('page_scripts', {
  bucket:              integer().key(),
  merchantId:          text().key(),
  scriptId:            text().key(),
  page:                quotedText(),
  address:             quotedText().notCovered(scanned),
  fingerprint:         quotedText().named('print').notCovered(scanned), // its hash, or the integrity that its page demands; '' where neither is known
  integrity:           quotedText().notCovered(scanned),
  party:               oneOf('first', 'third').notCovered(scanned),
  firstAt:             timestamp().notCovered(scanned),
  lastAt:              timestamp().notCovered(scanned),
  decision:            oneOf('open', 'authorised', 'refused').named('judged'),
  reason:              quotedText(),                       // why the page needs it, in the merchant's own words (PCI DSS 6.4.3)
  reviewedFingerprint: quotedText().named('judged_print'), // its fingerprint when it was reviewed
  reviewedBy:          text().named('judged_by'),
  reviewedAt:          timestamp().named('judged_at'),
  mac:                 rowMac(),
})

/** A script of a page, and whether the merchant authorized it. */
export type PageScriptRow = RowOf<typeof pageScriptsTable>

/** A script as a check found it. */
export type ScannedScript = Pick<PageScriptRow, 'scriptId' | 'address' | 'fingerprint' | 'integrity' | 'party'>

export interface PageCheckResult {
  readonly check: PageCheckRow
  /** Rows without a review. A script that is stored already keeps its review, and its MAC. */
  readonly scripts: readonly PageScriptRow[]
  /** Ids of rows with a wrong MAC. Those of the page, of its scripts, and of no checked page are deleted before the scripts are stored. */
  readonly replaced: readonly string[]
  /** Reads the page again by the schedule from now on; null for one without an address. */
  readonly watch: PageWatchRow | null
  /** Per merchant; the oldest beyond the limit are deleted. */
  readonly pagesMax: number
  readonly scriptsMax: number
}

const upsertCheck = sql`
  ${pageChecksTable.insertSql}
  on conflict (bucket, merchant_id, page) do update ${pageChecksTable.replaceSql}`

const deleteOldChecks = sql`
  delete from page_checks where bucket = $1 and merchant_id = $2 and page in
    (select page from page_checks where bucket = $1 and merchant_id = $2 order by checked_at desc, page limit 100 offset $3)`

const isOfChecked = 'page = $4 or page not in (select page from page_checks where bucket = $1 and merchant_id = $2)'

const deleteReplaced = sql`
  delete from page_scripts where bucket = $1 and merchant_id = $2 and script_id = $3 and ($5 = 1 or ${isOfChecked})`

const upsertScript = sql`
  ${pageScriptsTable.insertSql}
  on conflict (bucket, merchant_id, script_id) do update set address = excluded.address, print = excluded.print,
    integrity = excluded.integrity, party = excluded.party, last_at = excluded.last_at`

const deleteGoneScripts = sql`
  delete from page_scripts where bucket = $1 and merchant_id = $2 and judged = 'open' and
    (page = $3 and last_at < $4 or page not in (select page from page_checks where bucket = $1 and merchant_id = $2))`

const deleteOldScripts = sql`
  delete from page_scripts where bucket = $1 and merchant_id = $2 and script_id in
    (select script_id from page_scripts where bucket = $1 and merchant_id = $2 order by last_at desc, script_id limit 1000 offset $3)`

/**
 * Stores a check in place of the page's last one, with the scripts that it found. Scripts that are gone from the page and were never reviewed are
 * deleted, and so are the oldest pages and scripts beyond the limits.
 */
export function* savePageCheck({ audit, ...result }: PageCheckResult & { readonly audit: AuditEntry }): Transaction<void> {
  const { check, scripts, watch, replaced, pagesMax, scriptsMax } = result
  const { bucket, merchantId, checkedAt } = check
  const [of, page] = [[bucket, merchantId], quote(check.page)]
  yield* run(upsertCheck, pageChecksTable.toValues(check))
  yield* run(deleteOldChecks, [...of, pagesMax])
  yield* watch === null ? endWatches(check) : writeWatch(watch)
  const found = new Set(scripts.map(({ scriptId }) => scriptId))
  for (const scriptId of replaced) yield* run(deleteReplaced, [...of, scriptId, page, Number(found.has(scriptId))])
  for (const script of scripts) yield* run(upsertScript, pageScriptsTable.toValues(script))
  yield* run(deleteGoneScripts, [...of, page, checkedAt])
  yield* run(deleteOldScripts, [...of, scriptsMax])
  yield* writeAudit(audit)
}

const selectChecks = sql`
  select ${pageChecksTable.columns} from page_checks where bucket = $1 and merchant_id = $2 order by checked_at desc, page`

/** Newest first. */
export function listPageChecks({ bucket, merchantId }: MerchantKey): Read<PageCheckRow[]> {
  return { statement: selectChecks, values: [bucket, merchantId], map: (rows) => rows.map(pageChecksTable.fromRow) }
}

const selectScripts = sql`
  select ${pageScriptsTable.columns} from page_scripts where bucket = $1 and merchant_id = $2 order by page, address, script_id`

/** By page, then by address. A row that cannot be read has no MAC, no review and the texts that can be read. */
export function listPageScripts({ bucket, merchantId }: MerchantKey): Read<PageScriptRow[]> {
  return {
    statement: selectScripts,
    values: [bucket, merchantId],
    map: (rows) => rows.map(readScript),
  }
}

function readScript(row: Row): PageScriptRow {
  try {
    return pageScriptsTable.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    const [bucket, merchantId, scriptId] = [readInteger(row, 'bucket'), readText(row, 'merchant_id'), readText(row, 'script_id')]
    const texts = { page: quotedOrEmpty(row, 'page'), address: quotedOrEmpty(row, 'address'), fingerprint: '', integrity: '', reason: '' }
    const review = { decision: 'open', reviewedFingerprint: '', reviewedBy: '', reviewedAt: 0, mac: new Uint8Array(0) } as const
    return { bucket, merchantId, scriptId, ...texts, party: 'third', firstAt: 0, lastAt: 0, ...review }
  }
}

function quotedOrEmpty(row: Row, column: string): string {
  try {
    return readColumn(row, column, quotedText())
  } catch {
    return ''
  }
}

export interface ScriptReview {
  /** The row with the review; `fingerprint` is what the person looked at. */
  readonly script: PageScriptRow
  /** Of the row that was read. */
  readonly previousMac: Uint8Array
}

const updateReview = sql`
  update page_scripts set judged = $5, reason = $6, judged_print = $4, judged_by = $7, judged_at = $8, mac = $9
  where bucket = $1 and merchant_id = $2 and script_id = $3 and print = $4 and mac = $10 returning script_id`

/** Stores a review of a script. Returns false when there is no such script, or it has changed since the person looked at it. */
export function* reviewScript({ audit, script, previousMac }: ScriptReview & { readonly audit: AuditEntry }): Transaction<boolean> {
  const { bucket, merchantId, scriptId, reviewedFingerprint, decision, reason, reviewedBy, reviewedAt, mac } = script
  const review = [decision, quote(reason), reviewedBy, reviewedAt, mac]
  const values = [bucket, merchantId, scriptId, quote(reviewedFingerprint), ...review, previousMac]
  if ((yield* runOne(updateReview, values)) === null) return false
  yield* writeAudit(audit)
  return true
}
