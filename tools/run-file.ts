import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestOutcome, TestUsage } from './test-reporter.ts'

/**
 * The result of one test file. A file that fails as a whole has a failed outcome besides those of its tests. `processorSeconds`: of its process and
 * what that started; of a file that shares a process, its share by time. `failedRun` is the result of an earlier run that failed, when this is the second.
 */
export type FileResult = { path: string; outcomes: TestOutcome[]; seconds: number; processorSeconds?: number; failedRun?: FileResult }

/** `folder`: where its TMPDIR is made. `maxLeaveSeconds`: how long processes that a file started may take to end after it. A browser needs a while on a busy machine. */
export type RunOptions = {
  root: string
  env: NodeJS.ProcessEnv
  maxSeconds: number
  signal: AbortSignal
  maxLeaveSeconds?: number
  folder?: string
}

const batchRunner = fileURLToPath(new URL('test-batch.ts', import.meta.url))
const reporter = fileURLToPath(new URL('test-reporter.ts', import.meta.url))
const maxOutputLength = 16 * 1024
const testTimeoutShare = 0.9

/**
 * Runs one test file in a process of its own, with its own process group and TMPDIR, which are removed afterwards. After its time limit, or when
 * aborted, all its processes are killed. A file that leaves a process running fails.
 */
export async function runTestFile(path: string, options: RunOptions): Promise<FileResult> {
  return { path, ...(await runProcess([join(options.root, path)], options)) }
}

/**
 * Runs several test files in one process, one after the other: most of the processor time of a small file is spent on starting Node and loading
 * modules. `maxSeconds` is the limit of each, and all together get twice of it. What cannot be said of one file, such as a process that was left running, is said of the last.
 */
export async function runTestBatch(paths: readonly string[], options: RunOptions): Promise<FileResult[]> {
  const limits = { maxSeconds: options.maxSeconds * 2, maxTestSeconds: options.maxSeconds }
  const { outcomes, processorSeconds } = await runProcess([batchRunner, ...paths], { ...options, ...limits })
  const allSeconds = paths.reduce((sum, path) => sum + readSeconds(path, outcomes), 0)
  const results = paths.map((path) => {
    const seconds = readSeconds(path, outcomes)
    const share = allSeconds === 0 ? 1 / paths.length : seconds / allSeconds
    return { path, outcomes: listOutcomesOf(path, outcomes), seconds, processorSeconds: processorSeconds * share }
  })
  const last = results.findLast((result) => result.outcomes.length > 0) ?? results[0]
  const others = outcomes.filter(({ title }) => !paths.some((path) => isOfFile(path, title)))
  for (const outcome of others)
    last?.outcomes.push({ ...outcome, detail: `${outcome.detail}\nIt shares a process with ${paths.join(', ')}.` })
  for (const { outcomes: own } of results.filter((result) => result.outcomes.length === 0)) own.push(failedOutcome('It ran no test.'))
  return results
}

/** The tests of a file by their own titles. The test that is the file itself counts only when it failed. */
function listOutcomesOf(path: string, outcomes: readonly TestOutcome[]): TestOutcome[] {
  // Of a test and, in it, a suite (tools/test-batch.ts).
  const prefix = path + titleSeparator + path + titleSeparator
  return outcomes
    .filter(({ title, state }) => title.startsWith(prefix) || (isOfFile(path, title) && state === 'failed'))
    .map((outcome) => ({ ...outcome, title: outcome.title.startsWith(prefix) ? outcome.title.slice(prefix.length) : wholeFile }))
}

function isOfFile(path: string, title: string): boolean {
  return title === path || title.startsWith(path + titleSeparator)
}

function readSeconds(path: string, outcomes: readonly TestOutcome[]): number {
  const own = outcomes.filter(({ title }) => isOfFile(path, title))
  const file = own.find(({ title }) => title === path)
  return (file?.milliseconds ?? own.reduce((sum, { milliseconds }) => sum + milliseconds, 0)) / 1000
}

function failedOutcome(detail: string): TestOutcome {
  return { title: wholeFile, state: 'failed', milliseconds: 0, detail }
}

const wholeFile = '(the file itself)'
const titleSeparator = ' › '

/** `maxTestSeconds`: the limit that a test of it gets, when it is not that of the whole process. */
async function runProcess(
  script: readonly string[],
  {
    root,
    env,
    maxSeconds,
    signal,
    maxLeaveSeconds = 15,
    folder = tmpdir(),
    maxTestSeconds = maxSeconds,
  }: RunOptions & { maxTestSeconds?: number },
): Promise<Omit<FileResult, 'path'> & { processorSeconds: number }> {
  const startedAt = performance.now()
  const scratch = mkdtempSync(join(folder, 'tessera-test-'))
  chmodSync(scratch, 0o711) // PostgreSQL, as another user, must be able to pass through it.
  const report = join(scratch, 'outcomes.jsonl')
  // A test or hook that hangs is named, and what the file started is stopped, before the whole file is killed.
  const timeout = `--test-timeout=${Math.ceil(maxTestSeconds * 1000 * testTimeoutShare)}`
  const args = [timeout, '--test-reporter', reporter, '--test-reporter-destination', report, ...script]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...env, TMPDIR: scratch },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const file: RunningFile = { group: child.pid ?? fail('Node did not start.'), scratch }
  const output = collect(child.stdout, child.stderr)
  const late = AbortSignal.timeout(maxSeconds * 1000)
  const abort = (): void => killAll(file)
  late.addEventListener('abort', abort)
  signal.addEventListener('abort', abort)
  // `exit`, not `close`: a process that was left running holds the pipes open.
  const code = await new Promise<number | null>((resolve) => child.once('exit', (exitCode) => setImmediate(resolve, exitCode)))
  signal.removeEventListener('abort', abort)
  const isLate = late.aborted
  // The process ids may be reused after the file has ended, and the time limit would kill other processes.
  late.removeEventListener('abort', abort)

  const { outcomes, processorSeconds } = readReport(report)
  const left = await waitForEnd(file, maxLeaveSeconds)
  const complaint = isLate
    ? `It did not end in ${maxSeconds} s: a test hangs, or something was left open.`
    : describeEnd(code, outcomes) || (left.length > 0 ? `It left processes running: ${left.join(', ')}.` : '')
  killAll(file)
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  const seconds = (performance.now() - startedAt) / 1000
  if (complaint !== '') outcomes.push(failedOutcome(complaint))
  addOutput(outcomes, output())
  return { outcomes, seconds, processorSeconds }
}

/** The output of a file is shown once, under the last of its failures. */
function addOutput(outcomes: readonly TestOutcome[], output: string): void {
  const last = outcomes.findLast(({ state }) => state === 'failed')
  if (last !== undefined && output.trim() !== '') last.detail += `\nThe file printed:\n${output.trimEnd()}`
}

function describeEnd(code: number | null, outcomes: TestOutcome[]): string {
  if (outcomes.length === 0) return `It ran no test (exit code ${String(code)}).`
  if (code !== 0 && outcomes.every((outcome) => outcome.state !== 'failed'))
    return `Its tests passed, and then it ended with ${String(code)}.`
  return ''
}

/** A process that was killed has not said what it took. */
function readReport(report: string): { outcomes: TestOutcome[] } & TestUsage {
  try {
    const lines = readFileSync(report, 'utf8').split('\n')
    const entries = lines.slice(0, -1).map((line) => JSON.parse(line) as TestOutcome | TestUsage)
    const usage = entries.find((entry) => 'processorSeconds' in entry)
    return { outcomes: entries.filter((entry) => 'title' in entry), processorSeconds: usage?.processorSeconds ?? 0 }
  } catch {
    return { outcomes: [], processorSeconds: 0 }
  }
}

/** Keeps the last part of the output, so that endless output costs no memory. */
function collect(...streams: NodeJS.ReadableStream[]): () => string {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => (text = (text + chunk).slice(-maxOutputLength)))
  }
  return () => text
}

/** The processes of a file: its process group, and every process with its TMPDIR. A service that a test starts may have its own group. */
type RunningFile = { readonly group: number; readonly scratch: string }

async function waitForEnd(file: RunningFile, maxSeconds: number): Promise<string[]> {
  for (let waited = 0; waited < maxSeconds; waited += 0.1) {
    if (listLiving(file).length === 0) return []
    await pause(100)
  }
  return listLiving(file).map(({ pid, name }) => `${name} (${pid})`)
}

/** Read from /proc. A zombie is not running any more. */
function listLiving({ group, scratch }: RunningFile): { readonly pid: number; readonly name: string }[] {
  return (existsSync('/proc') ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name = '', state, , pgrp] = /\((.*)\) (\S) (\d+) (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? []
      if (state === undefined || state === 'Z') return []
      const isOfFile = Number(pgrp) === group || read(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${scratch}`)
      return isOfFile ? [{ pid: Number(pid), name }] : []
    })
}

/** Empty when the process is gone or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function killAll(file: RunningFile): void {
  for (const pid of [-file.group, ...listLiving(file).map((it) => it.pid)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }
}

function fail(text: string): never {
  throw new Error(text)
}
