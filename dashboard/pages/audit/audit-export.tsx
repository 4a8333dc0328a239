import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import { DocsLink } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { ErrorMessage } from '../../components/query-result.tsx'
import { recordExport } from '../../export/export-record.ts'
import { download, downloadCsv, toIsoTime } from '../../format/csv.ts'
import { useAction } from '../../hooks/use-action.ts'
import { collectPages } from '../../hooks/list-pages.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { auditPageText } from '../../messages/page-texts.ts'
import { type AuditFilter, toAuditParams } from './audit-filter.ts'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]

/** Exports the whole list, fetched page by page. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const text = auditPageText.current()
  const status = useSignal('')
  const { isBusy, error, run } = useAction()
  const collect = async (): Promise<readonly AuditRow[]> => {
    const { rows, isComplete } = await collectPages(
      async (after) => {
        const { entries, next } = await call('dashboard.audit.list', { after, count: 100, ...toAuditParams(filter) })
        return { rows: entries, next }
      },
      maxEntries,
      (count) => (status.value = formatMessage(text.exporting, count)),
    )
    status.value = formatMessage(isComplete ? text.exported : text.exportedFirst, rows.length)
    return rows
  }
  const save = async (format: 'csv' | 'json', download: (entries: readonly AuditRow[]) => void): Promise<void> => {
    await run(async () => {
      const recordEnd = await recordExport({ list: 'audit', format, conditions: toExportConditions({ ...filter }) })
      try {
        const entries = await collect()
        download(entries)
        await recordEnd({ outcome: 'done', rows: entries.length })
      } catch (err) {
        await recordEnd({ outcome: 'broken', rows: 0 })
        throw err
      }
    })
    if (error.value !== null) status.value = ''
  }
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy.value} onClick={() => void save('csv', downloadAsCsv)}>
          {text.csv}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void save('json', downloadAsJson)}>
          {text.json}
        </button>
      </div>
      <p role="status">{status.value}</p>
      <p class="faint">
        {text.proof} <DocsLink href={docsPath.checkingTheAudit}>{text.checkOffline}</DocsLink>
      </p>
      <ErrorMessage error={error.value} />
    </>
  )
}

function downloadAsCsv(entries: readonly AuditRow[]): void {
  const rows = entries.map((each) => [
    toIsoTime(each.at),
    each.actor,
    each.userId,
    each.name,
    each.action,
    each.subject,
    each.outcome,
    each.changes.map(({ name, from, to }) => `${name}: ${from ?? ''} → ${to ?? ''}`).join('\n'),
    each.address,
    each.requestId,
    each.proof,
  ])
  downloadCsv(
    'audit.csv',
    ['at', 'actor', 'userId', 'name', 'action', 'subject', 'outcome', 'changes', 'address', 'requestId', 'proof'],
    rows,
  )
}

function downloadAsJson(entries: readonly AuditRow[]): void {
  download('audit.json', 'application/json', JSON.stringify(entries, null, 2))
}

const maxEntries = 10_000
