// `npm run bench`: every measurement, or some of them: `npm run bench -- create check --store sqlite`.
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServiceDataFactory, type ServiceDataFactory, type StoreKind } from '../fault/service-data.ts'
import { RequirementMissing } from '../fault/requirement-missing.ts'
import { killAll } from '../fault/spawn.ts'
import { readCommandLine } from '../tools/command-line.ts'
import { appendRun, beginRun, readRuns } from './history.ts'
import { isTargetReached, type Bench, type Measure, type Measurement } from './measurement.ts'
import { measurements } from './measurements.ts'
import { formatMarkdown, formatMeasures } from './table.ts'

const chartFile = new URL('history.html', import.meta.url)
const { values, positionals } = readCommandLine(
  {
    store: { type: 'string' },
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    chart: { type: 'boolean', default: false },
  },
  usage(),
)

/** The measurements that `--against` can make. */
const comparable: ReadonlySet<string> = new Set(['create', 'check', 'pay'])

process.exitCode = await main()

/** Returns 1 when a value misses its target, or something could not be measured on this machine. */
async function main(): Promise<number> {
  const { store } = values
  const unknown = positionals.filter((name) => !measurements.some((measurement) => measurement.name === name))
  if (unknown.length > 0) return refuse(`There is no measurement ${unknown.join(', ')}. There are ${names()}.`)
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') return refuse(`--store takes sqlite or postgres, not ${store}.`)
  const problem = values.against === undefined ? null : describeUnusable(values.against)
  if (problem !== null) return refuse(problem)
  if (values.chart && positionals.length === 0 && !values.save && !values.json) return draw()
  const begun = beginRun(values.quick)
  const measures: Measure[] = []
  // Once: after a signal the services end, and with them the measurement in progress.
  let isSaved = false
  const save = (): void => {
    if (isSaved || !values.save || measures.length === 0) return
    isSaved = true
    appendRun({ ...begun, measures })
  }
  const dataFactory = createServiceDataFactory()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      save()
      void endEarly(dataFactory, measures.length)
    })
  let isComplete = false
  try {
    isComplete = await measure(store === undefined ? ['sqlite', 'postgres'] : [store], dataFactory, measures)
  } finally {
    save()
    await killAll()
    await dataFactory.close()
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ ...begun, measures })}\n`)
  if (values.chart) await draw()
  return isComplete && measures.every((item) => isTargetReached(item) !== false) ? 0 : 1
}

/** Stops what was started, and prints what was saved. */
async function endEarly(dataFactory: ServiceDataFactory, count: number): Promise<void> {
  const result = values.save ? `${String(count)} values of the measurements that had ended were saved` : 'nothing was saved, without --save'
  process.stderr.write(`Interrupted: ${result}.\n`)
  await killAll()
  await dataFactory.close()
  process.exit(130)
}

/** Draws the history. Its library is loaded for that alone. */
async function draw(): Promise<number> {
  const { formatChartPage } = await import('./chart.ts')
  const runs = readRuns()
  writeFileSync(chartFile, formatChartPage(runs))
  process.stderr.write(`${fileURLToPath(chartFile)}: ${String(runs.length)} runs\n`)
  return 0
}

/** Appends the values of each measurement when it has ended. Returns whether the machine has what each of them needs; the others are made all the same. */
async function measure(stores: readonly StoreKind[], dataFactory: ServiceDataFactory, measures: Measure[]): Promise<boolean> {
  const against = values.against === undefined ? null : resolve(values.against)
  const say = (text: string): unknown => !values.json && process.stderr.write(`        ${text}\n`)
  const chosen = measurements.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  let isComplete = true
  for (const [at, measurement] of chosen.entries()) {
    say(`${measurement.name}: ${String(at + 1)} of ${String(chosen.length)}, on ${stores.join(' and ')}`)
    const startedAt = performance.now()
    const made = await runOrExplain(measurement, { dataFactory, stores, isQuick: values.quick, against, say })
    if (made === null) {
      isComplete = false
      continue
    }
    say(`${measurement.name}: took ${String(Math.round((performance.now() - startedAt) / 1000))} s`)
    if (values.markdown) process.stdout.write(`${measurement.question}\n\n${formatMarkdown(made)}\n\n`)
    else if (!values.json) process.stdout.write(`${measurement.question}\n${formatMeasures(made)}\n\n`)
    measures.push(...made)
  }
  return isComplete
}

/** Null, after a line that says why, when the machine lacks something that the measurement needs. */
async function runOrExplain(measurement: Measurement, bench: Bench): Promise<readonly Measure[] | null> {
  try {
    return await measurement.run(bench)
  } catch (err) {
    if (!(err instanceof RequirementMissing)) throw err
    process.stderr.write(`${measurement.name} cannot be measured: ${err.message}\n`)
    return null
  }
}

/** Why another checkout cannot be measured; null when it can. */
function describeUnusable(folder: string): string | null {
  if (positionals.length === 0 || positionals.some((name) => !comparable.has(name)))
    return '--against compares create, check and pay only: npm run bench -- create check --against <folder>.'
  const isReady = ['service/bin/tessera.mjs', 'node_modules', 'browser/dist'].every((path) => existsSync(join(folder, path)))
  return isReady ? null : `${folder} is no checkout that can start. Run "node tools/bootstrap.mjs --build" in it first.`
}

function names(): string {
  return measurements.map(({ name }) => name).join(', ')
}

function usage(): string {
  const width = Math.max(...measurements.map(({ name }) => name.length))
  return [
    'npm run bench -- [measurement …] [options]',
    '',
    ...measurements.map(({ name, question }) => `  ${name.padEnd(width)}  ${question}`),
    '',
    '  --store sqlite|postgres   one store instead of both',
    '  --against <folder>        create, check and pay: beside another checkout of this repository, in turns; ready to start there',
    '  --quick                   less load and fewer rounds, to see that it works',
    '  --json                    one JSON object instead of tables',
    '  --markdown                tables of Markdown, to paste into a page',
    '  --save                    appends the run to bench/history.jsonl: values, commit, machine, and what else was running;',
    '                            after Ctrl-C or an error, the measurements that had ended',
    '  --chart                   draws the history as bench/history.html; without a measurement it measures nothing',
    '',
    'Ends with 1 when a value misses its target or the machine lacks what a measurement needs, 64 when the command line is wrong,',
    '130 when it was stopped.',
  ].join('\n')
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
