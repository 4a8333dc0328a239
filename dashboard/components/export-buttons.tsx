import { type ExportSource, requestExport } from '../app/export-jobs.ts'
import { messages } from '../app/language.ts'

/** Writes a list, with its filter, to a file. */
export function ExportButtons({ source }: { source: ExportSource }) {
  const { exportAs } = messages.value
  return (
    <div class="export" role="group" aria-label={exportAs.label}>
      <span aria-hidden="true">{exportAs.label}</span>
      <button type="button" onClick={() => requestExport(source, 'csv')}>
        CSV
      </button>
      <button type="button" onClick={() => requestExport(source, 'xlsx')}>
        Excel
      </button>
    </div>
  )
}
