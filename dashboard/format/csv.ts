/** Downloads a text as a file. Nothing leaves the browser. */
export function download(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** The same for what is in memory, or on the disk of the browser, already. */
export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  // A browser may begin to read after the click, and where it asks where to save, much later.
  setTimeout(() => URL.revokeObjectURL(address), readWithinMs)
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

/** Rows as CSV (RFC 4180) for a spreadsheet. A byte order mark makes it read the file as UTF-8. */
export function formatCsv(head: readonly string[], rows: readonly CsvRow[]): string {
  return `\uFEFF${[head, ...rows].map((row) => row.map(formatCsvCell).join(',')).join('\r\n')}\r\n`
}

/** A cell in quotes. A text that a spreadsheet would run as a formula gets a leading quote (CWE-1236), also one that begins with a full-width sign. */
export function formatCsvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return quoteCsv(safe)
}

/** A text of our own, such as a negative amount, in quotes as it is. */
export function quoteCsv(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

const readWithinMs = 60_000
