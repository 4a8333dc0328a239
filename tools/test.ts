// `npm test`: everything, or what is asked for.
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { findTests, readTimeLimit, type TestFiles } from './find-tests.ts'
import { findChromium } from './chromium.ts'
import { ensurePrograms, programs, realMachine } from './machine.ts'
import { pool } from './pool.ts'
import { startCluster } from './postgres.ts'
import { runChecks, type CheckResult } from './run-checks.ts'
import { runFile, type FileResult } from './run-file.ts'
import { allowedSkips } from './skips.ts'
import { formatFile, formatTally, listFailures, tally } from './tally.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const fileSecondsDefault = 120
const totalSecondsMax = 24 * 60
/** A heavy file waits for its browser and its disk half of the time; more than two wait for each other. */
const heavyAtOnce = Math.min(2, availableParallelism())

const usage = `npm test -- [path, part of a path or glob …] [options]

  --only unit|serial|checks   the tests side by side, the heavy ones, or what npm run check does
  --seconds <n>               each file may take that long: for searches longer than a test

Without words everything: the checks, the tests side by side, then the heavy ones. Ends with 1 when something failed or nothing ran.`
const { values, positionals } = readCommandLine({ only: { type: 'string' }, seconds: { type: 'string' } }, usage)
/** `--seconds 7200` gives each file that long, for searches that are longer than a test: 100,000 sequences of a model. */
const secondsAsked = values.seconds === undefined ? null : Number(values.seconds)
const startedAt = performance.now()
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))
const wholeSeconds = secondsAsked !== null && secondsAsked > totalSecondsMax ? secondsAsked : totalSecondsMax
setTimeout(() => stopping.abort(new Error(`the whole run took more than ${wholeSeconds / 60} min`)), wholeSeconds * 1000).unref()

process.exitCode = await main()

async function main(): Promise<number> {
  const only = values.only ?? 'all'
  if (!['all', 'unit', 'serial', 'checks'].includes(only)) return refuse(`--only takes unit, serial or checks, not ${only}.`)
  if (secondsAsked !== null && !(secondsAsked > 0)) return refuse(`--seconds takes a number above zero, not ${values.seconds}.`)
  const found = findTests(root, positionals)
  const wantsChecks = only === 'checks' || (only === 'all' && positionals.length === 0)
  const results: FileResult[] = wantsChecks ? await checksAsResults() : []
  if (only !== 'checks') results.push(...(await runTests(wanted(found, only))))
  const sum = tally(results, allowedSkips)
  say(formatTally(sum, (performance.now() - startedAt) / 1000) + '\n')
  return sum.failed > 0 || sum.passed === 0 ? 1 : 0
}

function wanted(found: TestFiles, only: string): TestFiles {
  if (only === 'unit') return { ...found, serial: [], alone: [] }
  return only === 'serial' ? { ...found, unit: [] } : found
}

/** Every check of `npm run check` counts as one test. */
async function checksAsResults(): Promise<FileResult[]> {
  const results: FileResult[] = []
  const onResult = (result: CheckResult): unknown => results.push(show(asFile(result)))
  await runChecks({ root, isThorough: true, signal: stopping.signal, onResult })
  return results
}

function asFile({ name, seconds, complaints }: CheckResult): FileResult {
  const state = complaints.length === 0 ? 'passed' : 'failed'
  const outcome = { title: name, state, milliseconds: seconds * 1000, detail: complaints.join('\n') } as const
  return { path: `check: ${name}`, seconds, outcomes: [outcome] }
}

async function runTests({ unit, serial, alone }: TestFiles): Promise<FileResult[]> {
  if (unit.length + serial.length + alone.length === 0) return []
  const missing = ensurePrograms(programs, realMachine(say))
  if (missing !== null) return [failedFile('the machine', missing)]
  const given = process.env.TESSERA_TEST_POSTGRES_URL ?? ''
  const cluster = given === '' ? await startCluster() : null
  try {
    const env = testEnvironment(cluster?.url ?? given)
    const run = async (path: string): Promise<FileResult> => show(await runOne(path, env))
    return [...(await pool(unit, availableParallelism(), run)), ...(await pool(serial, heavyAtOnce, run)), ...(await pool(alone, 1, run))]
  } finally {
    await cluster?.stop()
  }
}

async function runOne(path: string, env: NodeJS.ProcessEnv): Promise<FileResult> {
  const { signal } = stopping
  if (signal.aborted) return failedFile(path, `Not run: ${String(signal.reason)}.`)
  return runFile(path, { root, env, signal, secondsMax: secondsAsked ?? readTimeLimit(root, path, fileSecondsDefault) })
}

/** Tests see no setting of the developer's own service, and know where their database and browser are. */
function testEnvironment(postgresUrl: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_') || name.startsWith('TESSERA_TEST_'))
  return {
    ...Object.fromEntries(kept),
    TESSERA_TEST_POSTGRES_URL: postgresUrl,
    TESSERA_TEST_CHROMIUM: findChromium() ?? '',
  }
}

function show(result: FileResult): FileResult {
  say(formatFile(result, listFailures(result, allowedSkips).length) + '\n')
  return result
}

function failedFile(path: string, detail: string): FileResult {
  return { path, seconds: 0, outcomes: [{ title: '(the file itself)', state: 'failed', milliseconds: 0, detail }] }
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 1
}

function say(text: string): void {
  process.stdout.write(text)
}
