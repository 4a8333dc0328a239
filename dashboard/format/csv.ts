/** Downloads a text as a file. Nothing leaves the browser. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  URL.revokeObjectURL(address)
}

export type CsvRow = readonly (string | number | null)[]

/** Downloads rows as a CSV file. */
export function downloadCsv(name: string, head: readonly string[], rows: readonly CsvRow[]): void {
  download(name, 'text/csv;charset=utf-8', formatCsv(head, rows))
}

/** A timestamp as it is written to a file: ISO 8601, or null. */
export function toIsoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/**
 * Rows as CSV (RFC 4180) for a spreadsheet. A text that it would run as a formula gets a leading quote (CWE-1236), and a byte order mark makes it read the file
 * as UTF-8.
 */
export function formatCsv(head: readonly string[], rows: readonly CsvRow[]): string {
  return `\uFEFF${[head, ...rows].map((row) => row.map(formatCell).join(',')).join('\r\n')}\r\n`
}

function formatCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
