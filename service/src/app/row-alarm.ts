import type { TamperedRowFields } from '../domain/verified-rows.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import { insertAuditEntry } from '../store/audit.ts'
import type { Store } from '../store/store.ts'

export interface RowAlarmDependencies {
  readonly log: Pick<Log, 'error'>
  readonly metrics: Pick<Metrics, 'countTamperedRow'>
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
}

/** Every alarm about a stored row: a log line, and for a row with a wrong MAC a metric and an audit entry. */
export type StoredRowAlarm = (event: 'row_tampered' | 'row_broken' | 'reseal_failed', fields: TamperedRowFields) => void

/**
 * A row with a wrong MAC may be read by every request, and the person who inserted it may insert many. Each is counted, logged once a minute, and audited once a
 * day by this process; the audit gets a limited number of entries a minute for all rows together. The merchant of such a row is what somebody
 * wrote there, so the audit entry names none.
 */
export function makeRowAlarm({ log, metrics, store, clock }: RowAlarmDependencies): StoredRowAlarm {
  const logged = new Map<string, { readonly at: number; suppressed: number }>()
  /** The day of each row's last audit entry. */
  const audited = new Map<string, number>()
  let auditMinute = { startedAt: -Infinity, entries: 0 }

  return (event, { rowId, ...fields }) => {
    if (event !== 'row_tampered') {
      log.error(event, fields)
      return
    }
    const { table = 'unnamed', merchantId, cardId, receiptId } = fields
    metrics.countTamperedRow({ table })
    const row = `${table} ${rowId ?? (receiptId || cardId || merchantId)}`
    const now = clock.now()
    logOnceAMinute(row, fields, now)
    if (mayAudit(row, now)) writeEntry(fields, now)
  }

  function logOnceAMinute(row: string, fields: Omit<TamperedRowFields, 'rowId'>, now: number): void {
    const last = logged.get(row)
    if (last !== undefined && now - last.at < minuteMs) {
      last.suppressed += 1
      return
    }
    makeRoom(logged)
    logged.set(row, { at: now, suppressed: 0 })
    const suppressed = last?.suppressed ?? 0
    log.error('row_tampered', suppressed === 0 ? fields : { ...fields, suppressed })
  }

  function mayAudit(row: string, now: number): boolean {
    const day = Math.floor(now / dayMs)
    if (audited.get(row) === day) return false
    if (now - auditMinute.startedAt >= minuteMs) auditMinute = { startedAt: now, entries: 0 }
    // The row is audited when it is read again later.
    if (auditMinute.entries >= maxEntriesPerMinute) return false
    auditMinute.entries += 1
    makeRoom(audited)
    audited.set(row, day)
    return true
  }

  function writeEntry({ table = 'unnamed', cardId, receiptId, requestId }: TamperedRowFields, now: number): void {
    const entry = { at: now, actor: 'system', action: 'row.refused', merchantId: '', subject: receiptId || cardId || table, version: 0 }
    store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId, outcome: 'tampered' } }).catch((err: unknown) => {
      log.error('job_failed', { err })
    })
  }
}

/** The maps are bounded; after clearing one, rows are reported again. */
function makeRoom(rows: Map<string, unknown>): void {
  if (rows.size >= maxRows) rows.clear()
}

const minuteMs = 60_000
const dayMs = 86_400_000
const maxEntriesPerMinute = 60
const maxRows = 10_000
