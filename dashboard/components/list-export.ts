import type { ExportCell, ExportColumn, ExportSource } from '../app/export-jobs.ts'
import type { ListPage } from '../hooks/list-pages.ts'

/** A column of a list in a file. Its heading is that of the table; a time gets its zone. */
export interface ListExportColumn<R> {
  readonly name: string
  readonly kind?: ExportColumn['kind']
  readonly value: (row: R) => ExportCell
}

export interface ListExport<R> extends Pick<ExportSource, 'list' | 'conditions'> {
  /** The beginning of the name of the file. */
  readonly name: string
  readonly title: string
  readonly columns: readonly ListExportColumn<R>[]
  readonly fetchPage: (after: string | null) => Promise<ListPage<R>>
}

/** A list, with the filter that `fetchPage` has, as a file. */
export function listExport<R>({ name, title, list, conditions, columns, fetchPage }: ListExport<R>): ExportSource {
  const heads = columns.map(({ name: header, kind = 'text' }) => ({ header: kind === 'time' ? `${header} (UTC+5)` : header, kind }))
  return {
    name,
    title,
    list,
    conditions,
    open: () => async (after) => {
      const { rows, next } = await fetchPage(after)
      return { columns: heads, rows: rows.map((row) => columns.map(({ value }) => value(row))), next }
    },
  }
}

/** Rows of a page of a list for a file: as many as lists return. */
export const exportPageRows = 100
