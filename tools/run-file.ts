import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './test-reporter.ts'

/** What became of one test file. A file that ends badly has a failed outcome of its own beside those of its tests. */
export type FileResult = { path: string; outcomes: Outcome[]; seconds: number }

/** `leaveSecondsMax`: how long what a file started may take to end after it; a browser needs a while on a busy machine. */
export type RunOptions = { root: string; env: NodeJS.ProcessEnv; secondsMax: number; signal: AbortSignal; leaveSecondsMax?: number }

const reporter = fileURLToPath(new URL('test-reporter.ts', import.meta.url))
const outputLengthMax = 16 * 1024

/**
 * Runs one test file in a process of its own, in a process group and with a TMPDIR of its own, both gone afterwards.
 * Past its time, or aborted, all that belongs to it is killed; what a file leaves running fails it.
 */
export async function runFile(path: string, { root, env, secondsMax, signal, leaveSecondsMax = 15 }: RunOptions): Promise<FileResult> {
  const startedAt = performance.now()
  const scratch = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  chmodSync(scratch, 0o711) // PostgreSQL, as another user, must be able to pass through it.
  const report = join(scratch, 'outcomes.jsonl')
  const args = ['--test-reporter', reporter, '--test-reporter-destination', report, join(root, path)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...env, TMPDIR: scratch },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const file: RunningFile = { group: child.pid ?? fail(`${path}: Node did not start`), scratch }
  const output = collect(child.stdout, child.stderr)
  const late = AbortSignal.timeout(secondsMax * 1000)
  const abort = (): void => killAll(file)
  late.addEventListener('abort', abort)
  signal.addEventListener('abort', abort)
  // `exit`, not `close`: a process left behind holds the pipes open.
  const code = await new Promise<number | null>((resolve) => child.once('exit', (exitCode) => setImmediate(resolve, exitCode)))
  signal.removeEventListener('abort', abort)
  const isLate = late.aborted
  // Once the file has ended its numbers are given to others, whom the time limit would kill.
  late.removeEventListener('abort', abort)

  const outcomes = readOutcomes(report)
  const left = await waitForEnd(file, leaveSecondsMax)
  const complaint = isLate
    ? `It did not end in ${secondsMax} s: a test hangs, or something was left open.`
    : describeEnd(code, outcomes) || (left.length > 0 ? `It left processes running: ${left.join(', ')}.` : '')
  killAll(file)
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  const seconds = (performance.now() - startedAt) / 1000
  if (complaint !== '') outcomes.push({ title: '(the file itself)', state: 'failed', milliseconds: 0, detail: complaint })
  addOutput(outcomes, output())
  return { path, outcomes, seconds }
}

/** What a file printed is shown once, under the last of its failures. */
function addOutput(outcomes: readonly Outcome[], output: string): void {
  const last = outcomes.findLast(({ state }) => state === 'failed')
  if (last !== undefined && output.trim() !== '') last.detail += `\nThe file printed:\n${output.trimEnd()}`
}

function describeEnd(code: number | null, outcomes: Outcome[]): string {
  if (outcomes.length === 0) return `It ran no test (exit code ${String(code)}).`
  if (code !== 0 && outcomes.every((outcome) => outcome.state !== 'failed'))
    return `Its tests passed, and then it ended with ${String(code)}.`
  return ''
}

function readOutcomes(report: string): Outcome[] {
  try {
    const lines = readFileSync(report, 'utf8').split('\n')
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Outcome)
  } catch {
    return []
  }
}

/** The last bytes of what was printed; a file that prints without end costs nothing. */
function collect(...streams: NodeJS.ReadableStream[]): () => string {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => (text = (text + chunk).slice(-outputLengthMax)))
  }
  return () => text
}

/** What belongs to a file: its process group, and whoever has its TMPDIR, in whatever group. A service that a test starts may have a group of its own. */
type RunningFile = { readonly group: number; readonly scratch: string }

async function waitForEnd(file: RunningFile, secondsMax: number): Promise<string[]> {
  for (let waited = 0; waited < secondsMax; waited += 0.1) {
    if (listLiving(file).length === 0) return []
    await pause(100)
  }
  return listLiving(file).map(({ pid, name }) => `${name} (${pid})`)
}

/** From /proc; a zombie that nobody reaps is no longer running. */
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

/** Empty where it is gone, or another user's. */
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
      // It is gone already.
    }
  }
}

function fail(text: string): never {
  throw new Error(text)
}
