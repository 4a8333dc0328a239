import type { FileResult } from './run-file.ts'
import type { AllowedSkip } from './skips.ts'

/** The result of a whole run. */
export type Tally = { passed: number; failed: number; failures: Failure[]; slowest: FileResult[] }
export type Failure = { path: string; title: string; detail: string }

const maxSlowest = 10

/** Counts every outcome once. A skipped test counts as failed unless it is on the list. */
export function tally(results: readonly FileResult[], allowedSkips: readonly AllowedSkip[]): Tally {
  const failures = results.flatMap((result) => listFailures(result, allowedSkips))
  const count = results.reduce((sum, result) => sum + result.outcomes.length, 0)
  const slowest = results.toSorted((one, other) => other.seconds - one.seconds).slice(0, maxSlowest)
  return { passed: count - failures.length, failed: failures.length, failures, slowest }
}

/** The outcomes of one file that did not pass. */
export function listFailures({ path, outcomes }: FileResult, allowedSkips: readonly AllowedSkip[]): Failure[] {
  return outcomes
    .filter(({ state, title }) => state === 'failed' || (state === 'skipped' && !isAllowed(allowedSkips, path, title)))
    .map(({ title, detail }) => ({ path, title, detail }))
}

function isAllowed(allowedSkips: readonly AllowedSkip[], file: string, title: string): boolean {
  return allowedSkips.some((skip) => skip.file === file && skip.title === title)
}

/** One line for each file: whether it passed, how many tests, how long. */
export function formatFile(result: FileResult, failures: number): string {
  const mark = failures === 0 ? 'ok  ' : 'FAIL'
  const count = failures === 0 ? `${result.outcomes.length}` : `${failures} of ${result.outcomes.length}`
  return `${mark} ${result.seconds.toFixed(1).padStart(6)} s  ${count.padStart(8)}  ${result.path}`
}

/** Failures in full, the slowest files, and the summary as the last line. */
export function formatTally({ passed, failed, failures, slowest }: Tally, seconds: number): string {
  const details = failures.map(({ path, title, detail }) => `\n✖ ${path}\n  ${title}\n${indent(detail)}\n`)
  const slow = slowest.map((result) => `  ${result.seconds.toFixed(1).padStart(6)} s  ${result.path}`)
  const summary = slow.length === 0 ? ['Nothing ran.'] : ['\nSlowest files:', ...slow, `\nIt took ${seconds.toFixed(0)} s.`]
  return [...details, ...summary, `${passed} passed, ${failed} failed`].join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ')
}
