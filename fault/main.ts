// `npm run fault`: everything with modest numbers, or what is asked for: `npm run fault -- kill9 --cycles 1000 --store sqlite`.
import { readCommandLine } from '../tools/command-line.ts'
import { experiments } from './experiments.ts'
import type { Experiment } from './experiment.ts'
import { makeHomes, type Homes, type StoreKind } from './home.ts'
import { listMissing, MachineLacks } from './needs.ts'
import { asJson, formatReport, isHeld, type Report } from './report.ts'
import { killAll } from './spawn.ts'

const { values, positionals } = readCommandLine(
  {
    cycles: { type: 'string' },
    seed: { type: 'string' },
    store: { type: 'string' },
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
  const [cycles, seed] = [readCount(values.cycles), readCount(values.seed)]
  if (cycles === null || seed === null) return refuse('--cycles and --seed take a whole number from 1.')
  const wanted = experiments.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const reports = await makeAll(wanted, { cycles, seed: seed ?? drawSeed(), store })
  return reports.every(({ verdict }) => verdict === 'held' || (verdict === 'missing' && values['allow-missing'])) ? 0 : 1
}

type Asked = { cycles: number | undefined; seed: number; store: StoreKind | undefined }

/** One after the other: each has the machine for itself. */
async function makeAll(wanted: readonly Experiment[], asked: Asked): Promise<Report[]> {
  const homes = makeHomes()
  const reports: Report[] = []
  try {
    for (const experiment of wanted) {
      for (const store of experiment.stores.filter((kind) => asked.store === undefined || kind === asked.store)) {
        const report = await make(experiment, store, asked, homes)
        process.stdout.write(`${values.json ? asJson(report) : formatReport(report)}\n`)
        reports.push(report)
      }
    }
  } finally {
    await homes.close()
  }
  return reports
}

async function make(experiment: Experiment, store: StoreKind, { cycles = experiment.cycles, seed }: Asked, homes: Homes): Promise<Report> {
  const startedAt = performance.now()
  const head = { experiment: experiment.name, store, seed }
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const missing = listMissing(experiment.needs)
  if (missing.length > 0) return { ...head, verdict: 'missing', seconds: 0, missing }
  const say = (text: string): void => {
    if (!values.json) process.stderr.write(`        ${experiment.name} ${store}: ${text}\n`)
  }
  try {
    const finding = await experiment.run({ store, cycles, seed, homes, say })
    return { ...head, verdict: isHeld(finding) ? 'held' : 'failed', seconds: seconds(), finding }
  } catch (err) {
    if (err instanceof MachineLacks) return { ...head, verdict: 'missing', seconds: seconds(), missing: [err.message] }
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
      ({ name, stores, cycles, question }) =>
        `  ${name.padEnd(width)}  ${question} (${stores.join(', ')}; ${cycles} ${cycles === 1 ? 'cycle' : 'cycles'})`,
    ),
    '',
    '  --store sqlite|postgres   one store instead of each that the experiment knows',
    '  --cycles <n>              how often each breaks it, instead of the number above',
    '  --seed <n>                the seed that a report tells: the same choices again',
    '  --json                    one JSON object an experiment',
    '  --allow-missing           what this machine lacks (root, strace, a mount) is told and is no failure',
    '',
    'Ends with 1 when something was lost, or an experiment could not be made.',
  ].join('\n')
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
