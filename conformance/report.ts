import type { Outcome } from './run-vectors.ts'

/** One case that differs, for a person. */
export function printDifference({ group, vector, told }: Outcome): string {
  const lines = told.flatMap((text) => text.split('\n')).map((line) => `    ${line}`)
  return [`✗ ${group}: ${vector.title}`, `    (${vector.spec})`, ...lines, ''].join('\n')
}

/** The last lines: how many agree, how many differ, what was not sent and why. */
export function printSummary(outcomes: readonly Outcome[], origin: string): string {
  const reasons = Map.groupBy(
    outcomes.filter(({ state }) => state === 'skipped'),
    ({ told }) => told[0] ?? '',
  )
  const skipped = [...reasons].map(([why, cases]) => `${cases.length} not sent: ${why}`)
  const failed = count(outcomes, 'failed')
  const verdict = failed === 0 ? `${count(outcomes, 'passed')} agree` : `${failed} differ, ${count(outcomes, 'passed')} agree`
  return [`${origin}: ${verdict}.`, ...skipped].join('\n')
}

/** Everything, for a program. */
export function printJson(outcomes: readonly Outcome[]): string {
  const cases = outcomes.map(({ group, vector, state, told }) => ({ group, title: vector.title, spec: vector.spec, state, told }))
  const counts = { passed: count(outcomes, 'passed'), failed: count(outcomes, 'failed'), skipped: count(outcomes, 'skipped') }
  return JSON.stringify({ ...counts, cases })
}

function count(outcomes: readonly Outcome[], state: Outcome['state']): number {
  return outcomes.filter((outcome) => outcome.state === state).length
}
