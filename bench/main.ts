// `npm run bench`: every measurement, or what is asked for: `npm run bench -- create check --store sqlite`.
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { makeHomes, type StoreKind } from '../fault/home.ts'
import { killAll } from '../fault/spawn.ts'
import { readCommandLine } from '../tools/command-line.ts'
import { isReached, type Figure } from './measurement.ts'
import { measurements } from './measurements.ts'
import { formatFigures } from './table.ts'

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

/** A figure that misses its aim is told, and ends the run with 1. */
async function main(): Promise<number> {
  const { store } = values
  const unknown = positionals.filter((name) => !measurements.some((measurement) => measurement.name === name))
  if (unknown.length > 0) return refuse(`There is no measurement ${unknown.join(', ')}. There are ${names()}.`)
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') return refuse(`--store takes sqlite or postgres, not ${store}.`)
  const figures = await measure(store === undefined ? ['sqlite', 'postgres'] : [store])
  const results = { node: process.version, cores: availableParallelism(), isQuick: values.quick, figures }
  if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
  if (values.save) writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  return figures.every((figure) => isReached(figure) !== false) ? 0 : 1
}

async function measure(stores: readonly StoreKind[]): Promise<Figure[]> {
  const homes = makeHomes()
  const figures: Figure[] = []
  const say = (text: string): unknown => !values.json && process.stderr.write(`        ${text}\n`)
  try {
    for (const measurement of measurements.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
      const made = await measurement.run({ homes, stores, isQuick: values.quick, say })
      if (!values.json) process.stdout.write(`${measurement.question}\n${formatFigures(made)}\n\n`)
      figures.push(...made)
    }
  } finally {
    await killAll()
    await homes.close()
  }
  return figures
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
    '  --quick                   less load and fewer rounds, to see that it runs',
    '  --json                    one JSON object instead of tables',
    '  --save                    writes bench/results.json as well',
    '',
    'Ends with 1 when a figure misses its aim.',
  ].join('\n')
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
