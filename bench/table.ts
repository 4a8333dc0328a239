import { isTargetReached, isTargetUndecided, type MeasureTarget, type Measure } from './measurement.ts'

/** The values as a table for a terminal. */
export function formatMeasures(measures: readonly Measure[]): string {
  const rows = measures.map(cellsOf)
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .flatMap((cell, column) => (widths[column] === 0 ? [] : [cell.padEnd(widths[column] ?? 0)]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The values as a table of a Markdown page, as docs/operating/benchmarks.md has them. */
export function formatMarkdown(measures: readonly Measure[]): string {
  const rows = measures.map(cellsOf)
  const head = ['of', 'value', 'measured', 'interval', 'target', 'verdict']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}

/** Three significant digits. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** `0.50 to 0.54 (96 %, 9 rounds)`: where the median lies with that confidence. */
export function formatInterval({ interval }: Measure): string {
  if (interval === undefined) return ''
  const { low, high, confidence, rounds } = interval
  return `${formatValue(low)} to ${formatValue(high)} (${String(Math.floor(confidence * 100))} %, ${String(rounds)} rounds)`
}

export function formatTarget(target: MeasureTarget | undefined): string {
  if (target === undefined) return ''
  return 'least' in target ? `≥ ${formatValue(target.least)}` : `≤ ${formatValue(target.most)}`
}

function cellsOf(measure: Measure): string[] {
  return [
    measure.of,
    measure.name,
    `${formatValue(measure.value)} ${measure.unit}`.trim(),
    formatInterval(measure),
    formatTarget(measure.target),
    verdictOf(measure),
  ]
}

function verdictOf(measure: Measure): string {
  const reached = isTargetReached(measure)
  if (reached === null) return ''
  return `${reached ? 'reached' : 'MISSED'}${isTargetUndecided(measure) ? ', within the noise' : ''}`
}
