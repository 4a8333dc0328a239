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
import { formatMessage } from '../../messages/lookup.ts'
import { auditPageText } from '../../messages/page-texts.ts'
import { type AuditFilter, toAuditParams } from './audit-filter.ts'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]

/** Exports the whole list, fetched page by page: as a table, as JSON, or as the pages that the service signed. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const text = auditPageText.current()
  const status = useSignal('')
  const { isBusy, error, run } = useAction()
  const save = async <P extends ExportedPage>(
    format: 'csv' | 'json',
    fetchPage: (after: string | null) => Promise<P>,
    write: (pages: readonly P[]) => void,
  ) => {
    await run(async () => {
      const recordEnd = await recordExport({ list: 'audit', format, conditions: toExportConditions({ ...filter }) })
      try {
        const { pages, rows, isComplete } = await collect(fetchPage, (count) => (status.value = formatMessage(text.exporting, count)))
        write(pages)
        status.value = formatMessage(isComplete ? text.exported : text.exportedFirst, rows)
        await recordEnd({ outcome: 'done', rows })
      } catch (err) {
        await recordEnd({ outcome: 'broken', rows: 0 })
        throw err
      }
    })
    if (error.value !== null) status.value = ''
  }
  const params = toAuditParams(filter)
  const list = async (after: string | null) => {
    const { entries, next } = await call('dashboard.audit.list', { after, count: pageRows, ...params })
    return { entries, next, rows: entries.length }
  }
  const listSigned = async (after: string | null) => {
    const { text: signed, entries, next } = await call('dashboard.audit.export', { after, count: pageRows, ...params })
    return { signed, next, rows: entries }
  }
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy.value} onClick={() => void save('csv', list, (pages) => downloadAsCsv(entriesOf(pages)))}>
          {text.csv}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void save('json', list, (pages) => downloadAsJson(entriesOf(pages)))}>
          {text.json}
        </button>
        <button
          type="button"
          disabled={isBusy.value}
          onClick={() => void save('json', listSigned, (pages) => downloadSigned(pages.map(({ signed }) => signed)))}
        >
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

interface ExportedPage {
  readonly next: string | null
  readonly rows: number
}

async function collect<P extends ExportedPage>(
  fetchPage: (after: string | null) => Promise<P>,
  onPage: (rows: number) => void,
): Promise<{ readonly pages: readonly P[]; readonly rows: number; readonly isComplete: boolean }> {
  const pages: P[] = []
  let rows = 0
  for (let after: string | null = null; rows < maxEntries;) {
    const page: P = await fetchPage(after)
    pages.push(page)
    onPage((rows += page.rows))
    after = page.next
    if (after === null) return { pages, rows, isComplete: true }
  }
  return { pages, rows, isComplete: false }
}

function entriesOf(pages: readonly { readonly entries: readonly AuditRow[] }[]): readonly AuditRow[] {
  return pages.flatMap(({ entries }) => entries)
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
