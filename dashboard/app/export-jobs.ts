import { signal } from '@preact/signals'
import type { Params } from '@tessera/contract/operations'

type ExportedList = Params<'dashboard.exports.start'>['list']

/** How a column is written: so'm as a decimal number, a time as date and time in UTC+5. */
export interface ExportColumn {
  readonly header: string
  readonly kind: 'text' | 'som' | 'integer' | 'time'
}

/** Tiyin for a column of so'm, unix milliseconds for a time; null: empty. */
export type ExportCell = string | number | null

export interface ExportPage {
  /** The same for every page of a file. */
  readonly columns: readonly ExportColumn[]
  readonly rows: readonly (readonly ExportCell[])[]
  readonly next: string | null
  /** How many rows there are at most, if that is known. Of the first page. */
  readonly atMost?: number | null
  /** Changes that the rows may lack, because the search does not know them yet. */
  readonly unread?: number
}

export type ExportFormat = 'csv' | 'xlsx'

/** One condition of the filter. The audit records no value that a person typed. */
export type ExportCondition = Params<'dashboard.exports.start'>['conditions'][number]

/** What is written to a file: a list with its filter. */
export interface ExportSource {
  /** The beginning of the name of the file: `receipts`. */
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** What the audit says of it. */
  readonly list: ExportedList
  readonly conditions: readonly ExportCondition[]
  /** Begins from the start. The function that it returns is called for one page after the other. */
  readonly open: () => (after: string | null) => Promise<ExportPage>
}

export interface ExportRequest {
  readonly source: ExportSource
  readonly format: ExportFormat
}

/** Files that were asked for and not begun. `ExportPanel` takes them. */
export const requestedExports = signal<readonly ExportRequest[]>([])

export function requestExport(source: ExportSource, format: ExportFormat): void {
  requestedExports.value = [...requestedExports.value, { source, format }]
}

/** The titles of exports that were running when the document was left: `sessionStorage`, so that only the same tab says so. */
export const interruptedExportsKey = 'tessera.exports'
