import type { ExportCell, ExportColumn, ExportFormat } from '../app/export-jobs.ts'
import { formatCsvCell, quoteCsv } from '../format/csv.ts'
import { formatSomDecimal } from '../format/numbers.ts'
import { toTashkentIso } from '../format/time.ts'
import type { ExportRows } from './export-run.ts'

/**
 * Writes rows to a file. What is written so far is in blobs, which browsers move to their disk, so that the memory of the page does not grow with the rows.
 */
export async function writeExportFile({ columns, rows }: ExportRows, format: ExportFormat, title: string): Promise<Blob> {
  return format === 'csv' ? collect(encodeCsv(columns, rows), csvType) : collect(encodeXlsx(columns, rows, title), xlsxType)
}

async function collect(chunks: AsyncIterable<Uint8Array<ArrayBuffer> | string>, type: string): Promise<Blob> {
  const parts: Blob[] = []
  let [pending, size] = [[] as (Uint8Array<ArrayBuffer> | string)[], 0]
  for await (const chunk of chunks) {
    pending.push(chunk)
    size += chunk.length
    if (size < partSize) continue
    parts.push(new Blob(pending))
    ;[pending, size] = [[], 0]
  }
  return new Blob([...parts, ...pending], { type })
}

/** RFC 4180 with a byte order mark, by which spreadsheets know that it is UTF-8. */
export async function* encodeCsv(columns: readonly ExportColumn[], rows: AsyncIterable<readonly ExportCell[]>): AsyncGenerator<string> {
  yield `\uFEFF${columns.map(({ header }) => formatCsvCell(header)).join(',')}\r\n`
  for await (const row of rows) yield `${row.map((cell, at) => toCsvCell(cell, columns[at]?.kind ?? 'text')).join(',')}\r\n`
}

function toCsvCell(cell: ExportCell, kind: ExportColumn['kind']): string {
  if (typeof cell !== 'number' || kind === 'text' || kind === 'integer') return formatCsvCell(cell)
  return quoteCsv(kind === 'som' ? formatSomDecimal(cell) : toTashkentIso(cell))
}

/** A workbook of one sheet, and of another one after each 1,048,576 rows. Texts are cells of kind text, which are never formulas. */
export async function* encodeXlsx(
  columns: readonly ExportColumn[],
  rows: AsyncIterable<readonly ExportCell[]>,
  title: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  // A file of its own, which who writes CSV does not load.
  const { writeXlsxStream } = await import('hucre/xlsx')
  const stream = writeXlsxStream(toXlsxRows(columns, rows), {
    name: toSheetName(title),
    columns: columns.map(({ header, kind }) => ({ header, ...xlsxStyles[kind] })),
    freezePane: { rows: 1 },
  })
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value as Uint8Array<ArrayBuffer>
}

async function* toXlsxRows(columns: readonly ExportColumn[], rows: AsyncIterable<readonly ExportCell[]>) {
  for await (const row of rows) yield row.map((cell, at) => toXlsxCell(cell, columns[at]?.kind ?? 'text'))
}

function toXlsxCell(cell: ExportCell, kind: ExportColumn['kind']): ExportCell {
  if (cell === null) return null
  if (typeof cell === 'string') return toCellText(cell)
  if (kind === 'som') return cell / 100
  // Days since 30 December 1899, in UTC+5: spreadsheets know no time zones.
  return kind === 'time' ? Math.round((cell + aheadMs) / 1000) / daySeconds + daysTo1970 : cell
}

/** XML 1.0 has no control characters, and a cell at most 32,767 characters. */
function toCellText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .slice(0, 32_767)
}

/** At most 31 characters, and none that Excel refuses. */
function toSheetName(title: string): string {
  return title.replace(/[[\]:*?/\\']/g, ' ').slice(0, 28)
}

const xlsxStyles = {
  text: { width: 22 },
  som: { width: 16, numFmt: '#,##0.00' },
  integer: { width: 16, numFmt: '0' },
  time: { width: 20, numFmt: 'yyyy-mm-dd hh:mm:ss' },
} as const
const csvType = 'text/csv;charset=utf-8'
const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const partSize = 1 << 20
const aheadMs = 5 * 3_600_000
const daySeconds = 86_400
const daysTo1970 = 25_569
