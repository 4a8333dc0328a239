/** Saves a text as a file of the viewer's; nothing leaves the browser. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  URL.revokeObjectURL(address)
}

export type Cells = readonly (string | number | null)[]

/** Saves rows as a file for a spreadsheet. */
export function downloadCsv(name: string, head: readonly string[], rows: readonly Cells[]): void {
  download(name, 'text/csv;charset=utf-8', writeCsv(head, rows))
}

/** A moment in a file: ISO 8601, or nothing. */
export function momentOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/**
 * Rows as CSV (RFC 4180) for a spreadsheet: a value that one would run as a formula gets a quote before it (CWE-1236), and the mark at the head
 * has it read as UTF-8.
 */
export function writeCsv(head: readonly string[], rows: readonly Cells[]): string {
  return `\uFEFF${[head, ...rows].map((row) => row.map(writeCell).join(',')).join('\r\n')}\r\n`
}

function writeCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
