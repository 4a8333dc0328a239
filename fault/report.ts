import type { ExperimentResult } from './experiment.ts'
import type { StoreKind } from './service-data.ts'

/** The report of an experiment, including one that could not be run. */
export type Report = {
  readonly experiment: string
  readonly store: StoreKind
  readonly verdict: 'held' | 'failed' | 'missing'
  readonly seed: number
  readonly seconds: number
} & ({ readonly result: ExperimentResult } | { readonly missing: readonly string[] } | { readonly error: string })

/** It held when nothing was lost, there is no complaint, and the control was found. */
export function isHeld({ lost, complaints, control, acknowledged, cycles }: ExperimentResult): boolean {
  return lost === 0 && complaints.length === 0 && control.isFound && acknowledged > 0 && cycles > 0
}

/** One line for each experiment, always in this form; complaints follow on lines of their own. */
export function formatReport(report: Report): string {
  const head = `${report.verdict.padEnd(7)} ${report.experiment} ${report.store}`
  const tail = `seed ${report.seed} · ${report.seconds.toFixed(0)} s`
  if ('missing' in report) return `${head} · not run: ${report.missing.join(', ')}`
  if ('error' in report) return `${head} · ${tail}\n  ✖ ${report.error}`
  const { acknowledged, lost, cycles, control, metrics: figures, complaints, table = [], notes = [] } = report.result
  const measured = Object.entries(figures).map(([name, value]) => `${name} ${formatMetric(value)}`)
  const found = `control ${control.isFound ? 'found' : 'NOT FOUND'} (${control.what}: ${control.details})`
  const line = [head, `acknowledged ${acknowledged}`, `lost ${lost}`, `cycles ${cycles}`, ...measured, found, tail].join(' · ')
  return [
    ...formatTable(table),
    line,
    ...notes.map((text) => `  ${text}`),
    ...complaints.slice(0, maxComplaintsShown).map((text) => `  ✖ ${text}`),
  ].join('\n')
}

/** The same as JSON. */
export function asJson(report: Report): string {
  return JSON.stringify(report)
}

/** Each column is as wide as its longest cell. */
function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function formatMetric(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1)
}

const maxComplaintsShown = 10
