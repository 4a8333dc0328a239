/** The rows of a CSV text (RFC 4180): commas, double quotes, line ends of either kind, and a byte order mark at the start. Null when a quote is not closed. */
export function parseCsv(text: string): string[][] | null {
  const rows: string[][] = [[]]
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  const body = text.replace(/^\ufeff/, '')
  for (let at = 0; at < body.length;) {
    cells.lastIndex = at
    const found = cells.exec(body)
    if (found === null) return null
    const [whole, quoted, plain = '', end] = found
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    at += whole.length
    if (end !== ',' && at < body.length) rows.push([])
    else if (end === ',' && at === body.length) rows.at(-1)?.push('')
  }
  return rows.filter((row) => row.some((cell) => cell.trim() !== ''))
}

/** One line, with quotes where they are needed. */
export function formatCsvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
}
