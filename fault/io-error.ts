import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { isOutcomeUnknown, type CallOutcome } from './api-client.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { makeRandom, type Random } from './random.ts'
import { ProgramNotStarted, startService, type RunningService } from './spawn.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'

/** The disk fails during a commit. The state of the file is unknown then, and the service has to stop. */
export const ioError: Experiment = {
  name: 'io-error',
  question: 'When the disk fails within a commit (EIO), does the service end without an acknowledgement, and open cleanly afterwards?',
  stores: ['sqlite'],
  cycles: 6,
  needs: ['strace'],
  async run(trial) {
    const found = await failOften(trial, trial.cycles)
    const wrong = await failOften(trial, 1, [plantedFaults.ignoreIoErrors])
    const survived = wrong.complaints.some((text) => text.startsWith(goesOn))
    const seen = survived ? 'it continued' : `it ended: ${wrong.complaints.join('; ')}`
    return { ...found, control: { what: 'treating a failed fsync as a busy database', isFound: survived, details: seen } }
  },
}

async function failOften(
  { store, seed, dataFactory, say }: Trial,
  cycles: number,
  imports: readonly URL[] = [],
): Promise<Omit<ExperimentResult, 'control'>> {
  const random = makeRandom(seed)
  const serviceData = await dataFactory.create(store)
  const ledger = makeLedger()
  const lost: string[] = []
  const complaints: string[] = []
  const times = makeCallTimes()
  let startMs = 0
  try {
    // First without a fault, so that later failures hit commits under load and not the migration.
    await (await startService({ flags: serviceData.flags })).stop()
    for (let cycle = 0; cycle < cycles; cycle++) {
      const call = cycle % 2 === 1 ? writes : syncs
      complaints.push(...(await failOneCommit(serviceData, { ledger, random, times, call, imports })))
      const seen = await reopen(serviceData, ledger)
      lost.push(...seen.lost)
      complaints.push(...seen.complaints)
      startMs = Math.max(startMs, seen.startMs)
      say(`${cycle + 1} of ${cycles} failures of ${call}, ${ledger.countAcknowledged()} acknowledged, ${lost.length} lost`)
    }
  } finally {
    await serviceData.remove()
  }
  const metrics = { start_ms_most: Math.round(startMs), ...times.metrics(), ...outcomeMetrics([ledger]) }
  return { acknowledged: ledger.countAcknowledged(), lost: lost.length, cycles, complaints: [...complaints, ...lost], metrics }
}

interface Failure {
  readonly ledger: Ledger
  readonly random: Random
  readonly times: CallTimes
  readonly call: string
  readonly imports: readonly URL[]
}

/** Retries when the failing system call was no commit's: a checkpoint of the write-ahead log calls fsync too, and a start writes. */
async function failOneCommit(serviceData: ServiceData, failure: Failure): Promise<string[]> {
  for (let attempts = 1; ; attempts++) {
    const complaints = await failOnce(serviceData, failure)
    if (attempts >= maxAttempts || !complaints.some((text) => text.startsWith(noCommitFailed))) return complaints
  }
}

/**
 * Starts the service, and lets the n-th system call of a kind fail in the committing thread. The load continues until the service has ended, or until a
 * call succeeds after one that failed: a slow machine needs time to reach the n-th.
 */
async function failOnce(serviceData: ServiceData, { ledger, random, times, call, imports }: Failure): Promise<string[]> {
  const inject = `inject=${call}:error=EIO:when=${random.between(10, 60)}`
  const wrapper = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', '--seccomp-bpf', '-e', `trace=${call}`, '-e', inject]
  const running = await startOrFail({ flags: [...serviceData.flags, ...longLifetimes], wrapper, imports })
  if (running === null) return [`${noCommitFailed}: the start failed first, as it has to`]
  const ending = new AbortController()
  const late = setTimeout(() => ending.abort(), maxLoadSeconds * 1000)
  let [refused, unknown] = [0, 0]
  times.faultEnds()
  const onReply = (outcome: CallOutcome, ms: number): void => {
    const { kind } = outcome
    // The first reply that the failure spoils is the first that shows it.
    if (isOutcomeUnknown(outcome) && unknown++ === 0) times.faultBegins()
    times.add(ms)
    if (kind === 'refused') refused += 1
    if (kind === 'result' && refused > 0) ending.abort()
  }
  const refusals = await runLoad({ ...running, connections: 8, ledger, random, until: ending.signal, onReply })
  clearTimeout(late)
  const code = await Promise.race([running.ended, pause(imports.length === 0 ? graceMs : controlGraceMs, 'runs' as const, { ref: false })])
  await running.kill()
  if (code !== 'runs')
    return code === ioErrorExit ? [] : [`it ended with ${String(code)} and not ${ioErrorExit}: ${running.output().slice(-300)}`]
  return [
    refusals.size > 0 ? `${goesOn} (refused: ${[...refusals.keys()].join(', ')})` : `${noCommitFailed} in ${maxLoadSeconds} s of load`,
  ]
}

/** Null when the failure hit the start, which then ended with the exit code of an I/O error. */
async function startOrFail(options: Parameters<typeof startService>[0]): Promise<RunningService | null> {
  try {
    return await startService(options)
  } catch (err) {
    if (err instanceof ProgramNotStarted && err.exitCode === ioErrorExit) return null
    throw err
  }
}

const syncs = 'fsync,fdatasync'
const writes = 'pwrite64'
const goesOn = 'it continues after a failed commit'
const noCommitFailed = 'no commit failed'
const maxAttempts = 8
/** Sixty system calls take a second; a failure that hit no commit lets the load go on to the end of this time. */
const maxLoadSeconds = 10
const graceMs = 10_000
/** A service that continues uses up all of it. */
const controlGraceMs = 1000
/** EX_IOERR of sysexits.h. */
const ioErrorExit = 74
