/** What a cell or a line can show. */
export type Shown = string | number | boolean | null

/** Rows under their headings, each column as wide as its longest cell; for people at a terminal. */
export function printTable(headings: readonly string[], rows: readonly (readonly Shown[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(shown))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Facts one a line, their names in a column. */
export function printFacts(facts: Readonly<Record<string, Shown>>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`)
    .join('\n')
}

function shown(value: Shown): string {
  return value === null || value === '' ? '—' : String(value)
}
