// `npm run bench`: every measurement, or some of them: `npm run bench -- create check --store sqlite`.
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createServiceDataFactory, type StoreKind } from '../fault/service-data.ts'
import { killAll } from '../fault/spawn.ts'
import { readCommandLine } from '../tools/command-line.ts'
import { isTargetReached, type Measure } from './measurement.ts'
import { measurements } from './measurements.ts'
import { formatMeasures } from './table.ts'

const { values, positionals } = readCommandLine(
  {
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
  usage(),
)

process.exitCode = await main()

/** Returns 1 when a value misses its target. */
async function main(): Promise<number> {
  const { store } = values
  const unknown = positionals.filter((name) => !measurements.some((measurement) => measurement.name === name))
  if (unknown.length > 0) return refuse(`There is no measurement ${unknown.join(', ')}. There are ${names()}.`)
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') return refuse(`--store takes sqlite or postgres, not ${store}.`)
  const measures = await measure(store === undefined ? ['sqlite', 'postgres'] : [store])
  const results = { node: process.version, cores: availableParallelism(), isQuick: values.quick, measures }
  if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
  if (values.save) writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  return measures.every((item) => isTargetReached(item) !== false) ? 0 : 1
}

async function measure(stores: readonly StoreKind[]): Promise<Measure[]> {
  const dataFactory = createServiceDataFactory()
  const measures: Measure[] = []
  const say = (text: string): unknown => !values.json && process.stderr.write(`        ${text}\n`)
  try {
    for (const measurement of measurements.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
      const made = await measurement.run({ dataFactory, stores, isQuick: values.quick, say })
      if (!values.json) process.stdout.write(`${measurement.question}\n${formatMeasures(made)}\n\n`)
      measures.push(...made)
    }
  } finally {
    await killAll()
    await dataFactory.close()
  }
  return measures
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
    '  --quick                   less load and fewer rounds, to see that it works',
    '  --json                    one JSON object instead of tables',
    '  --save                    writes bench/results.json as well',
    '',
    'Ends with 1 when a value misses its target.',
  ].join('\n')
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
