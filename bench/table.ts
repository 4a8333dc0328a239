import { isReached, type Aim, type Figure } from './measurement.ts'

/** The figures as a table for a terminal. */
export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.of,
    figure.name,
    `${formatValue(figure.value)} ${figure.unit}`.trim(),
    formatAim(figure.aim),
    verdictOf(figure),
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Three digits that say something, and no more. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

function formatAim(aim: Aim | undefined): string {
  if (aim === undefined) return ''
  return 'least' in aim ? `≥ ${formatValue(aim.least)}` : `≤ ${formatValue(aim.most)}`
}

function verdictOf(figure: Figure): string {
  const reached = isReached(figure)
  return reached === null ? '' : reached ? 'reached' : 'MISSED'
}
