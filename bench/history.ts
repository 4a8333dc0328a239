import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

import type { Measure } from './measurement.ts'

/** One run of the benchmarks, as a line of the history. */
export interface BenchRun {
  /** ISO 8601, UTC. */
  readonly at: string
  /** The commit that was measured, with `+` when files differed from it; null outside of a checkout. */
  readonly commit: string | null
  readonly machine: BenchMachine
  /** Processes that wanted to run in the last minute, before the first measurement: what else was going on. */
  readonly load: number
  readonly isQuick: boolean
  readonly measures: readonly Measure[]
}

/** What figures depend on. No name of a machine. */
export interface BenchMachine {
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
}

/** The file that `--save` appends to and `--chart` reads. */
export const historyFile = new URL('history.jsonl', import.meta.url)

export function describeMachine(): BenchMachine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release().replace(/-.*/, '')}`,
    node: process.version,
  }
}

/** What is known of a run before it begins. */
export function beginRun(isQuick: boolean): Omit<BenchRun, 'measures'> {
  const [load = 0] = loadavg()
  return { at: new Date().toISOString(), commit: readCommit(), machine: describeMachine(), load: Number(load.toFixed(2)), isQuick }
}

/** Fractions have six significant digits: no measurement has more, and among the seventeen of a ratio some are like those of a card number. */
export function appendRun(run: BenchRun, file: URL = historyFile): void {
  const round = (_name: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value
  appendFileSync(file, `${JSON.stringify(run, round)}\n`)
}

/** The runs in the order in which they were made. Throws with the number of a line that is none. */
export function readRuns(file: URL = historyFile): BenchRun[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, at) => (line === '' ? [] : [readRun(line, at + 1)]))
}

function readRun(line: string, number: number): BenchRun {
  try {
    const run = JSON.parse(line) as Partial<BenchRun>
    if (typeof run.at !== 'string' || run.machine === undefined || !Array.isArray(run.measures))
      throw new Error('it has no time, machine or measures')
    return run as BenchRun
  } catch (err) {
    throw new Error(`bench/history.jsonl, line ${String(number)} is no run: ${err instanceof Error ? err.message : String(err)}`)
  }
}

function readCommit(): string | null {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+')
  } catch {
    return null
  }
}
