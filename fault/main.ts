// `npm run fault`: every experiment with small numbers, or some of them: `npm run fault -- kill9 --cycles 1000 --store sqlite`.
import { readCommandLine } from '../tools/command-line.ts'
import { backlog } from './backlog.ts'
import { bitFlips } from './bit-flips.ts'
import { blackhole } from './blackhole.ts'
import { clock } from './clock.ts'
import { clockJump } from './clock-jump.ts'
import { commandsUnderLoad } from './commands.ts'
import { databaseWriter } from './database-writer.ts'
import { diskFull } from './disk-full.ts'
import { drain } from './drain.ts'
import { hangingEndpoint } from './hanging-endpoint.ts'
import { ioError } from './io-error.ts'
import { kill9 } from './kill9.ts'
import { killedProcess } from './killed-process.ts'
import { lostCommit } from './lost-commit.ts'
import { memoryLimit } from './memory-limit.ts'
import { money } from './money.ts'
import { overload } from './overload.ts'
import { overloadLoop } from './overload-loop.ts'
import { overloadWorkers } from './overload-workers.ts'
import { otpRace } from './otp-race.ts'
import { partialStore } from './partial-store.ts'
import { powerCut } from './power-cut.ts'
import { restore } from './restore.ts'
import { soak } from './soak.ts'
import { slowNetwork, slowSms } from './slow-peers.ts'
import { startRace } from './start-race.ts'
import { stuckStore } from './stuck-store.ts'
import { twoPrimaries } from './two-primaries.ts'
import { webhooks } from './webhooks.ts'
import type { Experiment } from './experiment.ts'
import { createServiceDataFactory, type ServiceDataFactory, type StoreKind } from './service-data.ts'
import { listMissingRequirements } from './machine-requirements.ts'
import { RequirementMissing } from './requirement-missing.ts'
import { asJson, formatReport, isHeld, type Report } from './report.ts'
import { killAll } from './spawn.ts'

/** Every experiment, in the order in which a run makes them. */
const experiments: readonly Experiment[] = [
  kill9,
  money,
  powerCut,
  ioError,
  diskFull,
  clock,
  clockJump,
  otpRace,
  blackhole,
  stuckStore,
  lostCommit,
  killedProcess,
  partialStore,
  databaseWriter,
  bitFlips,
  drain,
  startRace,
  memoryLimit,
  restore,
  soak,
  slowNetwork,
  slowSms,
  hangingEndpoint,
  webhooks,
  overload,
  overloadLoop,
  overloadWorkers,
  commandsUnderLoad,
  backlog,
  twoPrimaries,
]

const { values, positionals } = readCommandLine(
  {
    cycles: { type: 'string' },
    seed: { type: 'string' },
    store: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
    'allow-missing': { type: 'boolean', default: false },
  },
  usage(),
)

process.exitCode = await main()

async function main(): Promise<number> {
  const unknown = positionals.filter((name) => !experiments.some((experiment) => experiment.name === name))
  const { store } = values
  if (unknown.length > 0) return refuse(`There is no experiment ${unknown.join(', ')}. There are ${names()}.`)
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') return refuse(`--store takes sqlite or postgres, not ${store}.`)
  const [cycles, seed, workers] = [readCount(values.cycles), readCount(values.seed), readCount(values.workers)]
  if (cycles === null || seed === null || workers === null) return refuse('--cycles, --seed and --workers take a whole number from 1.')
  if (workers !== undefined && !positionals.includes(overloadWorkers.name)) return refuse(`--workers is for ${overloadWorkers.name}.`)
  const wanted = experiments.filter(({ name, isLong }) => (positionals.length === 0 ? isLong !== true : positionals.includes(name)))
  const reports = await runExperiments(wanted, { cycles, seed: seed ?? drawSeed(), store, workers })
  return reports.every(({ verdict }) => verdict === 'held' || (verdict === 'missing' && values['allow-missing'])) ? 0 : 1
}

type RunOptions = { cycles: number | undefined; seed: number; store: StoreKind | undefined; workers: number | undefined }

/** Runs them one after the other, so that each has the machine to itself. */
async function runExperiments(wanted: readonly Experiment[], options: RunOptions): Promise<Report[]> {
  const dataFactory = createServiceDataFactory()
  const reports: Report[] = []
  try {
    for (const experiment of wanted) {
      for (const store of experiment.stores.filter((kind) => options.store === undefined || kind === options.store)) {
        const report = await runExperiment(experiment, store, options, dataFactory)
        process.stdout.write(`${values.json ? asJson(report) : formatReport(report)}\n`)
        reports.push(report)
      }
    }
  } finally {
    await dataFactory.close()
  }
  return reports
}

async function runExperiment(
  experiment: Experiment,
  store: StoreKind,
  { cycles = experiment.cycles, seed, workers }: RunOptions,
  dataFactory: ServiceDataFactory,
): Promise<Report> {
  const startedAt = performance.now()
  const head = { experiment: experiment.name, store, seed }
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const missing = listMissingRequirements(experiment.needs)
  if (missing.length > 0) return { ...head, verdict: 'missing', seconds: 0, missing }
  const say = (text: string): void => {
    if (!values.json) process.stderr.write(`        ${experiment.name} ${store}: ${text}\n`)
  }
  try {
    const result = await experiment.run({ store, cycles, seed, workers, dataFactory, say })
    return { ...head, verdict: isHeld(result) ? 'held' : 'failed', seconds: seconds(), result }
  } catch (err) {
    if (err instanceof RequirementMissing) return { ...head, verdict: 'missing', seconds: seconds(), missing: [err.message] }
    return { ...head, verdict: 'failed', seconds: seconds(), error: err instanceof Error ? (err.stack ?? err.message) : String(err) }
  } finally {
    await killAll()
  }
}

function readCount(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : null
}

function drawSeed(): number {
  return 1 + Math.floor(Math.random() * 999_999)
}

function names(): string {
  return experiments.map(({ name }) => name).join(', ')
}

function usage(): string {
  const width = Math.max(...experiments.map(({ name }) => name.length))
  return [
    'npm run fault -- [experiment …] [options]',
    '',
    ...experiments.map(
      ({ name, stores, cycles, question, isLong }) =>
        `  ${name.padEnd(width)}  ${question} (${stores.join(', ')}; ${cycles} ${isLong === true ? 'minutes, only by name' : cycles === 1 ? 'cycle' : 'cycles'})`,
    ),
    '',
    '  --store sqlite|postgres   one store, instead of each that the experiment supports',
    '  --cycles <n>              how often the fault is injected, instead of the number above',
    '  --seed <n>                the seed from a report: the same choices again',
    '  --workers <n>             with overload-workers: threads of the service, instead of 2',
    '  --json                    one JSON object for each experiment',
    '  --allow-missing           what this machine lacks (root, strace, mounts) is reported, not counted as a failure',
    '',
    'Ends with 1 when something was lost, or an experiment could not be run.',
  ].join('\n')
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
