import { spawnSync } from 'node:child_process'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { needsDisk, needsOwnProcess, readTimeLimit, type TestFiles } from './find-tests.ts'
import { watchIdleProcessors } from './idle-processors.ts'
import { ensurePrograms, programsByNeed, realMachine } from './machine.ts'
import { pool, type ExtraWidth } from './pool.ts'
import { startCluster } from './postgres.ts'
import { retryFailed } from './retry-failed.ts'
import { runTestBatch, runTestFile, type FileResult } from './run-file.ts'
import type { SharedStages } from './shared-stages.ts'
import { allowedSkips } from './skips.ts'
import { formatFile, formatSkips, listFailures } from './tally.ts'
import { readTestNeeds, type TestNeed } from './test-needs.ts'

export type TestRun = {
  root: string
  signal: AbortSignal
  /** For every file, instead of what it asks for itself. */
  secondsPerFile?: number | undefined
  /** Runs a file that failed once more. Not in a search, where a rare failure is what is looked for. */
  shouldRetry?: boolean
  /** A folder on a disk, for files that say `// on disk: <why>`; the temporary folder of this process when there is none. */
  diskFolder?: string
  /** Environment variables for the tests, besides those that every run sets. */
  env?: NodeJS.ProcessEnv
  /** Until this resolves, the tests leave a processor to what else is running. */
  whenFree?: Promise<unknown>
  say: (text: string) => void
}

/** A heavy file waits for its browser, its disk or a timer half of the time: one more than there are processors, and more while one is idle. */
const maxHeavyWidth = availableParallelism() + 1
const maxExtraHeavy = availableParallelism() + 1
/** A light file waits for PostgreSQL or for a process that it started. */
const maxExtraLight = availableParallelism()
const idleIntervalMs = 1500
const fileSecondsDefault = 120

/** Runs test files, with what they need installed, built and started first, and nothing else. Prints a line for each file. */
export async function runTests({ unit, serial, alone }: TestFiles, run: TestRun): Promise<FileResult[]> {
  const paths = [...unit, ...serial, ...alone]
  const needs = readTestNeeds(run.root, paths)
  const missing = prepare(needs, run)
  if (missing !== null) return [failedFile('the machine', missing)]
  const givenUrl = process.env.TESSERA_TEST_POSTGRES_URL ?? ''
  const cluster = needs.includes('postgres') && givenUrl === '' ? await startCluster() : null
  try {
    const env = { ...makeEnvironment(run.root, needs, cluster?.url ?? givenUrl), ...run.env }
    const stages = await makeStages(serial)
    const runPath = async (path: string): Promise<FileResult> => {
      const stage = await stages?.enter(path)
      try {
        return show(await runOne(path, { ...env, ...stage }, run), run)
      } finally {
        await stages?.leave(path)
      }
    }
    const runLight = async (batch: readonly string[]): Promise<FileResult[]> =>
      (await runBatch(batch, env, run)).map((result) => show(result, run))
    const extraWidth = (maxItems: number): ExtraWidth => ({ maxItems, isIdle: watchIdleProcessors(), intervalMs: idleIntervalMs })
    const whenFree = run.whenFree ?? Promise.resolve()
    const lightOptions = { maxWidth: availableParallelism(), whenFree, extra: extraWidth(maxExtraLight) }
    const heavyOptions = { maxWidth: maxHeavyWidth, extra: extraWidth(maxExtraHeavy) }
    const light = (
      await pool(
        makeBatches(unit, (path) => needsOwnProcess(run.root, path)),
        lightOptions,
        runLight,
      )
    ).flat()
    const heavy = [
      ...(await pool(sortLongestFirst(serial, run.root), heavyOptions, runPath)),
      ...(await pool(alone, { maxWidth: 1 }, runPath)),
    ]
    // Alone and without the service and browser of its folder.
    const runAgain = async (path: string): Promise<FileResult> => show(await runOne(path, env, run), run)
    const results = [...light, ...heavy]
    return run.shouldRetry === true ? await retryFailed(results, { ...run, runAgain }) : results
  } finally {
    await cluster?.stop()
  }
}

/** Loaded only for tests that share a service: it loads Playwright. */
async function makeStages(paths: readonly string[]): Promise<SharedStages | null> {
  return paths.length > 1 ? (await import('./shared-stages.ts')).makeSharedStages(paths) : null
}

/** Prints the line of a file, and returns its result. */
export function show(result: FileResult, { say }: Pick<TestRun, 'say'>): FileResult {
  say(formatFile(result, listFailures(result, allowedSkips).length) + '\n' + formatSkips(result, allowedSkips))
  return result
}

/** Installs programs and builds the form where the tests need them. Returns what is missing, or null. */
function prepare(needs: readonly TestNeed[], { root, say }: TestRun): string | null {
  const missing = ensurePrograms(programsByNeed(needs), realMachine(say))
  if (missing !== null || !needs.includes('build')) return missing
  const build = spawnSync(process.execPath, [join(root, 'tools', 'build-browser.ts'), '--if-changed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return build.status === 0 ? null : 'The card form and the dashboard could not be built; the output is above.'
}

/** A long file that begins last would run by itself at the end. Its time limit says how long it is. */
function sortLongestFirst(paths: readonly string[], root: string): string[] {
  return paths.toSorted((one, other) => readTimeLimit(root, other, fileSecondsDefault) - readTimeLimit(root, one, fileSecondsDefault))
}

/** Light files run a few in one process, neighbours together: they load the same modules. */
export function makeBatches(paths: readonly string[], isAlone: (path: string) => boolean): string[][] {
  const batches: string[][] = []
  const shared = paths.filter((path) => !isAlone(path))
  for (let at = 0; at < shared.length; at += maxBatchSize) batches.push(shared.slice(at, at + maxBatchSize))
  return [...paths.filter(isAlone).map((path) => [path]), ...batches]
}

const maxBatchSize = 12

async function runBatch(paths: readonly string[], env: NodeJS.ProcessEnv, run: TestRun): Promise<FileResult[]> {
  const [path = '', ...others] = paths
  if (others.length === 0) return [await runOne(path, env, run)]
  const { root, signal, secondsPerFile } = run
  if (signal.aborted) return paths.map((each) => failedFile(each, `Not run: ${String(signal.reason)}.`))
  return runTestBatch(paths, { root, env, signal, maxSeconds: secondsPerFile ?? fileSecondsDefault })
}

async function runOne(
  path: string,
  env: NodeJS.ProcessEnv,
  { root, signal, secondsPerFile, diskFolder = tmpdir() }: TestRun,
): Promise<FileResult> {
  if (signal.aborted) return failedFile(path, `Not run: ${String(signal.reason)}.`)
  const maxSeconds = secondsPerFile ?? readTimeLimit(root, path, fileSecondsDefault)
  return runTestFile(path, { root, env, signal, maxSeconds, folder: needsDisk(root, path) ? diskFolder : tmpdir() })
}

/** Tests see no setting of the developer's own service, and only the database and browser that they need. */
function makeEnvironment(root: string, needs: readonly TestNeed[], postgresUrl: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_') || name.startsWith('TESSERA_TEST_'))
  return {
    ...Object.fromEntries(inherited),
    // Most of the processor time of a small test is spent on loading modules; Node keeps their compiled code here.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    TESSERA_TEST_POSTGRES_URL: needs.includes('postgres') ? postgresUrl : '',
  }
}

function failedFile(path: string, detail: string): FileResult {
  return { path, seconds: 0, outcomes: [{ title: '(the file itself)', state: 'failed', milliseconds: 0, detail }] }
}
