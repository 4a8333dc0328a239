import type { Finding } from './experiment.ts'
import type { StoreKind } from './home.ts'

/** What is published of an experiment, also when it could not be made. */
export type Report = {
  readonly experiment: string
  readonly store: StoreKind
  readonly verdict: 'held' | 'failed' | 'missing'
  readonly seed: number
  readonly seconds: number
} & ({ readonly finding: Finding } | { readonly missing: readonly string[] } | { readonly error: string })

/** It held when nothing was lost, nothing was strange, and the control was found. */
export function isHeld({ lost, complaints, control, acknowledged, cycles }: Finding): boolean {
  return lost === 0 && complaints.length === 0 && control.isFound && acknowledged > 0 && cycles > 0
}

/** One line an experiment, always in this form; complaints follow on lines of their own. */
export function formatReport(report: Report): string {
  const head = `${report.verdict.padEnd(7)} ${report.experiment} ${report.store}`
  const tail = `seed ${report.seed} · ${report.seconds.toFixed(0)} s`
  if ('missing' in report) return `${head} · not made: ${report.missing.join(', ')}`
  if ('error' in report) return `${head} · ${tail}\n  ✖ ${report.error}`
  const { acknowledged, lost, cycles, control, figures, complaints } = report.finding
  const told = Object.entries(figures).map(([name, value]) => `${name} ${formatFigure(value)}`)
  const found = `control ${control.isFound ? 'found' : 'NOT FOUND'} (${control.what}: ${control.seen})`
  const line = [head, `acknowledged ${acknowledged}`, `lost ${lost}`, `cycles ${cycles}`, ...told, found, tail].join(' · ')
  return [line, ...complaints.slice(0, complaintsShownMax).map((text) => `  ✖ ${text}`)].join('\n')
}

/** The same for programs. */
export function asJson(report: Report): string {
  return JSON.stringify(report)
}

function formatFigure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1)
}

const complaintsShownMax = 10
