import type { FileResult } from './run-file.ts'
import type { AllowedSkip } from './skips.ts'

/** The result of a whole run. `firstFailures`: of files that were run twice. `flaky`: of these, the files that passed the second time. */
export type Tally = {
  passed: number
  failed: number
  failures: Failure[]
  firstFailures: Failure[]
  flaky: { path: string; firstFailure: Failure }[]
  /** All files, the slowest first. */
  slowest: FileResult[]
}
export type Failure = { path: string; title: string; detail: string }

/** Counts every outcome once. A skipped test counts as failed unless it is on the list. */
export function tally(results: readonly FileResult[], allowedSkips: readonly AllowedSkip[]): Tally {
  const failures = results.flatMap((result) => listFailures(result, allowedSkips))
  const count = results.reduce((sum, result) => sum + result.outcomes.length, 0)
  const retried = results.filter(({ failedRun }) => failedRun !== undefined)
  const firstFailures = retried.flatMap(({ failedRun }) => (failedRun === undefined ? [] : listFailures(failedRun, allowedSkips)))
  const flaky = retried
    .filter((result) => listFailures(result, allowedSkips).length === 0)
    .flatMap(({ path }) => firstFailures.filter((failure) => failure.path === path).slice(0, 1))
    .map((firstFailure) => ({ path: firstFailure.path, firstFailure }))
  const slowest = results.toSorted((one, other) => other.seconds - one.seconds)
  return { passed: count - failures.length, failed: failures.length, failures, firstFailures, flaky, slowest }
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

/** One line for each test of a file that was skipped as allowed, with its reason. */
export function formatSkips({ path, outcomes }: FileResult, allowedSkips: readonly AllowedSkip[]): string {
  return outcomes
    .filter(({ state, title }) => state === 'skipped' && isAllowed(allowedSkips, path, title))
    .map(({ title }) => `skip  ${path}: ${title}: ${allowedSkips.find((skip) => skip.file === path && skip.title === title)?.why ?? ''}\n`)
    .join('')
}

/** One line for each file: whether it passed, how many tests, how long. */
export function formatFile(result: FileResult, failures: number): string {
  const mark = failures === 0 ? 'ok  ' : 'FAIL'
  const count = failures === 0 ? `${result.outcomes.length}` : `${failures} of ${result.outcomes.length}`
  return `${mark} ${result.seconds.toFixed(1).padStart(6)} s  ${count.padStart(8)}  ${result.path}`
}

/** How long the whole run took, the processor time of all its processes, and how many of the slowest files are named. */
export type RunDuration = { seconds: number; processorSeconds?: number; maxSlowest?: number }

/** Failures in full, the slowest files, the files that failed once, and the summary as the last line. */
export function formatTally(
  { passed, failed, failures, firstFailures, flaky, slowest }: Tally,
  { seconds, processorSeconds = 0, maxSlowest = 10 }: RunDuration,
): string {
  const first = firstFailures.map((failure) => formatFailure({ ...failure, path: `${failure.path} (first run)` }))
  const details = [...first, ...failures.map(formatFailure)]
  const slow = slowest.slice(0, maxSlowest).map(formatDuration)
  const used = processorSeconds > 0 ? `, and ${processorSeconds.toFixed(0)} s of processor time` : ''
  const took = `\nIt took ${seconds.toFixed(0)} s${used}.`
  const summary = slow.length === 0 ? ['Nothing ran.'] : ['\nSlowest files (time, of it processor time):', ...slow, took]
  const warnings = flaky.map(({ path, firstFailure: { title, detail } }) => {
    const [reason = ''] = detail.split('\n')
    return `flaky: ${path} (first failure: ${title}: ${reason})`
  })
  return [...details, ...summary, ...warnings, `${passed} passed, ${failed} failed`].join('\n')
}

/** A file that takes far more time than processor time waits: for a timer, a disk, or its turn on a busy machine. */
function formatDuration({ seconds, processorSeconds = 0, path }: FileResult): string {
  const used = processorSeconds > 0 ? processorSeconds.toFixed(1) : '?'
  return `  ${seconds.toFixed(1).padStart(6)} s  ${used.padStart(6)} s  ${path}`
}

function formatFailure({ path, title, detail }: Failure): string {
  return `\n✖ ${path}\n  ${title}\n${indent(detail)}\n`
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ')
}
