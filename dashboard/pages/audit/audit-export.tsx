import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import { DocsLink } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { ErrorMessage } from '../../components/query-result.tsx'
import { recordExport } from '../../export/export-record.ts'
import { download, downloadCsv, toIsoTime } from '../../format/csv.ts'
import { collectPages, type ListPage } from '../../hooks/list-pages.ts'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { auditPageText } from '../../messages/page-texts.ts'
import { type AuditFilter, toAuditParams } from './audit-filter.ts'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]

/** Exports the whole list, fetched page by page: as a table, as JSON, or as the pages that the service signed. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const text = auditPageText.current()
  const status = useSignal('')
  const { isBusy, error, run } = useAction()
  const save = async <R,>(
    format: 'csv' | 'json',
    fetchPage: (after: string | null) => Promise<ListPage<R>>,
    write: (rows: readonly R[]) => void,
  ): Promise<void> => {
    await run(async () => {
      const recordEnd = await recordExport({ list: 'audit', format, conditions: toExportConditions({ ...filter }) })
      try {
        const { rows, isComplete } = await collectPages(
          fetchPage,
          maxEntries,
          (count) => (status.value = formatMessage(text.exporting, count)),
        )
        write(rows)
        status.value = formatMessage(isComplete ? text.exported : text.exportedFirst, rows.length)
        await recordEnd({ outcome: 'done', rows: rows.length })
      } catch (err) {
        await recordEnd({ outcome: 'broken', rows: 0 })
        throw err
      }
    })
    if (error.value !== null) status.value = ''
  }
  const params = toAuditParams(filter)
  const list = async (after: string | null): Promise<ListPage<AuditRow>> => {
    const { entries, next } = await call('dashboard.audit.list', { after, count: pageRows, ...params })
    return { rows: entries, next }
  }
  const saveSigned = (): Promise<void> => {
    const pages: string[] = []
    const listSigned = async (after: string | null): Promise<ListPage<string>> => {
      const { text: signed, next } = await call('dashboard.audit.export', { after, count: pageRows, ...params })
      pages.push(signed)
      const [, ...lines] = signed.trimEnd().split('\n')
      return { rows: lines, next }
    }
    return save('json', listSigned, () => downloadSigned(pages))
  }
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy.value} onClick={() => void save('csv', list, downloadAsCsv)}>
          {text.csv}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void save('json', list, downloadAsJson)}>
          {text.json}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void saveSigned()}>
          {text.signed}
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

/** Byte for byte as they were signed. */
function downloadSigned(pages: readonly string[]): void {
  download('audit-signed.jsonl', 'application/jsonl', pages.join(''))
}

const pageRows = 100
const maxEntries = 10_000
