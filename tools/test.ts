// `npm test`: every check and test, or some of them.
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { findTests, type TestFiles } from './find-tests.ts'
import { findMemoryFolder } from './memory-folder.ts'
import { readProcessorSeconds } from './processor-time.ts'
import type { FileResult } from './run-file.ts'
import type { CheckResult } from './run-checks.ts'
import { runTests, show } from './run-tests.ts'
import { allowedSkips } from './skips.ts'
import { formatTally, tally } from './tally.ts'

/** Passwords of dashboard users: 17 is the least in production. */
const testSettings = { TESSERA_TEST_PASSWORD_COST: '10' }
const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Ends a run that hangs, also on a busy machine. The aim is six minutes. */
const totalSecondsMax = 25 * 60

const usage = `npm test -- [path, part of a path or glob …] [options]

  --only unit|serial|checks   the tests side by side, the heavy ones, or the checks of npm run check
  --seconds <n>               each file may take that long
  --slowest <n>               how many of the slowest files are named at the end (10)

Without arguments: the checks and the tests side by side, then the heavy ones. What the tests need (PostgreSQL, browsers, the built form) is
installed, built and started first, and only that. Ends with 1 when something failed or nothing ran.
Longer searches: npm run soak. Tests with other systems: npm run peers.`
const { values, positionals } = readCommandLine(
  { only: { type: 'string' }, seconds: { type: 'string' }, slowest: { type: 'string', default: '10' } },
  usage,
)
const secondsPerFile = values.seconds === undefined ? undefined : Number(values.seconds)
const startedAt = performance.now()
const stopping = new AbortController()
const say = (text: string): unknown => process.stdout.write(text)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))
const totalSeconds = Math.max(secondsPerFile ?? 0, totalSecondsMax)
setTimeout(() => stopping.abort(new Error(`the whole run took more than ${totalSeconds / 60} min`)), totalSeconds * 1000).unref()

const diskFolder = tmpdir()
// What is started from here on writes to memory, PostgreSQL and browsers too. An explicit choice stays.
process.env.TMPDIR ??= findMemoryFolder() ?? tmpdir()

process.exitCode = await main()

async function main(): Promise<number> {
  const only = values.only ?? 'all'
  if (!['all', 'unit', 'serial', 'checks'].includes(only)) return refuse(`--only takes unit, serial or checks, not ${only}.`)
  if (secondsPerFile !== undefined && !(secondsPerFile > 0)) return refuse(`--seconds takes a number above zero, not ${values.seconds}.`)
  if (!/^[0-9]{1,4}$/.test(values.slowest)) return refuse(`--slowest takes a number from 0 to 9999, not ${values.slowest}.`)
  const wantsChecks = only === 'checks' || (only === 'all' && positionals.length === 0)
  const checks: Promise<FileResult[]> = wantsChecks ? checksAsResults() : Promise.resolve([])
  const files = selectFiles(findTests(root, positionals), only)
  const tests = runTests(files, {
    root,
    signal: stopping.signal,
    secondsPerFile,
    diskFolder,
    shouldRetry: true,
    whenFree: checks,
    env: testSettings,
    say,
  })
  const sum = tally((await Promise.all([checks, tests])).flat(), allowedSkips)
  const seconds = (performance.now() - startedAt) / 1000
  say(formatTally(sum, { seconds, processorSeconds: readProcessorSeconds(), maxSlowest: Number(values.slowest) }) + '\n')
  return sum.failed > 0 || sum.passed === 0 ? 1 : 0
}

function selectFiles(found: TestFiles, only: string): TestFiles {
  return {
    unit: only === 'all' || only === 'unit' ? found.unit : [],
    serial: only === 'all' || only === 'serial' ? found.serial : [],
    alone: only === 'all' || only === 'serial' ? found.alone : [],
  }
}

/** Every check of `npm run check` counts as one test. The checks load the compiler, so they are imported only when they run. */
async function checksAsResults(): Promise<FileResult[]> {
  const { runChecks } = await import('./run-checks.ts')
  const results: FileResult[] = []
  const onResult = (result: CheckResult): unknown => results.push(show(asFile(result), { say }))
  await runChecks({ root, isThorough: true, signal: stopping.signal, onResult })
  return results
}

function asFile({ name, seconds, complaints }: CheckResult): FileResult {
  const state = complaints.length === 0 ? 'passed' : 'failed'
  const outcome = { title: name, state, milliseconds: seconds * 1000, detail: complaints.join('\n') } as const
  return { path: `check: ${name}`, seconds, outcomes: [outcome] }
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 1
}
