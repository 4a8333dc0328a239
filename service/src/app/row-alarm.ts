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

/** The audit gets one entry a minute for each table and merchant, since a refused row may be read by every request. */
export function makeRowAlarm({ log, metrics, store, clock }: RowAlarmDependencies): StoredRowAlarm {
  const audited = new Map<string, number>()
  return (event, fields) => {
    log.error(event, { ...fields })
    if (event !== 'row_tampered') return
    const table = fields.table ?? 'unnamed'
    metrics.countTamperedRow({ table })
    const subject = `${table} ${fields.merchantId}`
    const now = clock.now()
    if (now - (audited.get(subject) ?? -Infinity) < auditIntervalMs) return
    // The map is bounded; after clearing it, entries are written again.
    if (audited.size >= maxAudited) audited.clear()
    audited.set(subject, now)
    const { merchantId, cardId, receiptId, requestId } = fields
    const entry = { at: now, actor: 'system', action: 'row.refused', merchantId, subject: receiptId || cardId || table, version: 0 }
    store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId, outcome: 'tampered' } }).catch((err: unknown) => {
      log.error('job_failed', { err })
    })
  }
}

const auditIntervalMs = 60_000
const maxAudited = 10_000
