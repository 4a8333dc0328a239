import { integer, quote, quoted, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { AuditNote, ComplianceOf, JudgeScript, KeepPageCheck, PageCheckRow, PageScriptRow } from '../store.ts'
import { note, one, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const checkColumns = 'bucket, merchant_id, page, checked_at, checked_by, errors, warnings, report'

const upsertCheck = sql`
  insert into page_checks (${checkColumns}) values (${places(8)})
  on conflict (bucket, merchant_id, page) do update set checked_at = excluded.checked_at, checked_by = excluded.checked_by,
    errors = excluded.errors, warnings = excluded.warnings, report = excluded.report`

const dropOldChecks = sql`
  delete from page_checks where bucket = $1 and merchant_id = $2 and page in
    (select page from page_checks where bucket = $1 and merchant_id = $2 order by checked_at desc, page limit 100 offset $3)`

const scriptColumns =
  'bucket, merchant_id, page, script_id, address, print, integrity, party, first_at, last_at, judged, reason, judged_print, judged_by, judged_at'

const upsertScript = sql`
  insert into page_scripts (${scriptColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 'open', '""', '""', '', 0)
  on conflict (bucket, merchant_id, script_id) do update set address = excluded.address, print = excluded.print,
    integrity = excluded.integrity, party = excluded.party, last_at = excluded.last_at`

const dropGone = sql`
  delete from page_scripts where bucket = $1 and merchant_id = $2 and judged = 'open' and
    (page = $3 and last_at < $4 or page not in (select page from page_checks where bucket = $1 and merchant_id = $2))`

const dropOldScripts = sql`
  delete from page_scripts where bucket = $1 and merchant_id = $2 and script_id in
    (select script_id from page_scripts where bucket = $1 and merchant_id = $2 order by last_at desc, script_id limit 1000 offset $3)`

/** Keeps a check and what scripts it found, and lets go of the oldest beyond the bounds. */
export function* keepPageCheck({ check, scripts, pagesMax, scriptsMax, audit }: KeepPageCheck & { readonly audit: AuditNote }): Unit<void> {
  const { bucket, merchantId, checkedAt, checkedBy, errors, warnings } = check
  const [of, page] = [[bucket, merchantId], quote(check.page)]
  yield* rows(upsertCheck, [...of, page, checkedAt, checkedBy, errors, warnings, check.report])
  yield* rows(dropOldChecks, [...of, pagesMax])
  for (const { scriptId, address, print, integrity, party } of scripts) {
    yield* rows(upsertScript, [...of, page, scriptId, quote(address), quote(print), quote(integrity), party, checkedAt])
  }
  yield* rows(dropGone, [...of, page, checkedAt])
  yield* rows(dropOldScripts, [...of, scriptsMax])
  yield* note(audit)
}

const selectChecks = sql`
  select ${checkColumns} from page_checks where bucket = $1 and merchant_id = $2 order by checked_at desc, page`

export function listPageChecks({ bucket, merchantId }: ComplianceOf): Read<PageCheckRow[]> {
  return {
    statement: selectChecks,
    values: [bucket, merchantId],
    tell: (found) =>
      found.map((row) => ({
        ...{ bucket, merchantId, page: quoted(row, 'page'), checkedAt: integer(row, 'checked_at'), checkedBy: text(row, 'checked_by') },
        ...{ errors: integer(row, 'errors'), warnings: integer(row, 'warnings'), report: text(row, 'report') },
      })),
  }
}

const selectScripts = sql`
  select ${scriptColumns} from page_scripts where bucket = $1 and merchant_id = $2 order by page, address, script_id`

export function listPageScripts({ bucket, merchantId }: ComplianceOf): Read<PageScriptRow[]> {
  return {
    statement: selectScripts,
    values: [bucket, merchantId],
    tell: (found) =>
      found.map((row) => ({
        ...{ page: quoted(row, 'page'), scriptId: text(row, 'script_id'), address: quoted(row, 'address'), print: quoted(row, 'print') },
        ...{ integrity: quoted(row, 'integrity'), party: word(row, 'party', ['first', 'third']) },
        ...{ firstAt: integer(row, 'first_at'), lastAt: integer(row, 'last_at') },
        ...{ judged: word(row, 'judged', ['open', 'authorised', 'refused']), reason: quoted(row, 'reason') },
        ...{ judgedPrint: quoted(row, 'judged_print'), judgedBy: text(row, 'judged_by'), judgedAt: integer(row, 'judged_at') },
      })),
  }
}

const updateJudged = sql`
  update page_scripts set judged = $5, reason = $6, judged_print = $4, judged_by = $7, judged_at = $8
  where bucket = $1 and merchant_id = $2 and script_id = $3 and print = $4 returning script_id`

/** Only what the person looked at is judged: a script that is another by now is not. */
export function* judgeScript({ audit, ...ask }: JudgeScript & { readonly audit: AuditNote }): Unit<boolean> {
  const { bucket, merchantId, scriptId, print, judged, reason, judgedBy, judgedAt } = ask
  const values = [bucket, merchantId, scriptId, quote(print), judged, quote(reason), judgedBy, judgedAt]
  if ((yield* one(updateJudged, values)) === null) return false
  yield* note(audit)
  return true
}
