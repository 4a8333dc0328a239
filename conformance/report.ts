import type { VectorResult } from './run-vectors.ts'

/** One case that differs, as text. */
export function printDifference({ group, vector, messages }: VectorResult): string {
  const lines = messages.flatMap((text) => text.split('\n')).map((line) => `    ${line}`)
  return [`✗ ${group}: ${vector.title}`, `    (${vector.spec})`, ...lines, ''].join('\n')
}

/** The last lines: how many agree, how many differ, which were not sent and why. */
export function printSummary(results: readonly VectorResult[], origin: string): string {
  const reasons = Map.groupBy(
    results.filter(({ state }) => state === 'skipped'),
    ({ messages }) => messages[0] ?? '',
  )
  const skipped = [...reasons].map(([why, cases]) => `${cases.length} not sent: ${why}`)
  const failed = count(results, 'failed')
  const verdict = failed === 0 ? `${count(results, 'passed')} agree` : `${failed} differ, ${count(results, 'passed')} agree`
  return [`${origin}: ${verdict}.`, ...skipped].join('\n')
}

/** All results, as JSON. */
export function printJson(results: readonly VectorResult[]): string {
  const cases = results.map(({ group, vector, state, messages }) => ({ group, title: vector.title, spec: vector.spec, state, messages }))
  const counts = { passed: count(results, 'passed'), failed: count(results, 'failed'), skipped: count(results, 'skipped') }
  return JSON.stringify({ ...counts, cases })
}

function count(results: readonly VectorResult[], state: VectorResult['state']): number {
  return results.filter((result) => result.state === state).length
}
