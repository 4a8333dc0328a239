// `npm run capacity`: what a number of cards and calls a second takes, computed from measured costs.
import { readFileSync } from 'node:fs'

import { readCommandLine } from '../../tools/command-line.ts'

import { readCosts, type BenchValue } from './costs.ts'
import { ImpossibleDemand, pricedCalls, type CallMix, type Demand, type PricedCall } from './demand.ts'
import { simulateShards } from './hottest-shard.ts'
import { computeNeeds, usualMachines } from './needs.ts'
import { measuredValues } from './measured.ts'
import { describeWall } from './wall.ts'

const usage = `npm run capacity -- [options]

  --cards <n>       cards stored at once (1000000)
  --calls <n>       calls a second in the busiest hour (100)
  --average <n>     calls of an average hour, as a share of the busiest (0.3)
  --years <n>       how long receipts and the audit are stored (5)
  --card-years <n>  how long a card is stored until it expires or is removed (3)
  --mix <list>      shares of the calls, which add up to 1: cards.create=0.04,receipts.pay=0.96 (as many cards are
                    registered as end, in three calls each; of the rest one in eleven is cards.check, and the
                    others are receipts.create and receipts.pay). There are:
                    ${pricedCalls.join(', ')}
  --costs <file>    your own: npm run -s bench -- costs --json > costs.json
  --cores <n>       of the machine of one primary (${String(usualMachines.primaryCores)})
  --disk-tb <n>     of one primary (${String(usualMachines.primaryTerabytes)})
  --wal-mb <n>      of log that one primary may write a second (${String(usualMachines.walMegabytesPerSecond)})
  --backup-mb <n>   of a full backup a second (${String(usualMachines.backupMegabytesPerSecond)})
  --clients <n>     connections of clients that are open at once (${String(usualMachines.clientConnections)})
  --merchants <n>   for the share of the hottest shard (1000)
  --zipf <n>        exponent of their calls (1)
  --json            one JSON object
  --measure         runs the benchmark costs on both stores, two minutes on a quiet machine, stores what it found as
                    bench/capacity/measured.json, and prints docs/operating/capacity.md anew; computes nothing

On PostgreSQL. Half of the cores are left free. Without --costs: what docs/operating/capacity.md says was measured.`

const option = { type: 'string' } as const
const { values } = readCommandLine(
  {
    cards: option,
    calls: option,
    average: option,
    years: option,
    'card-years': option,
    mix: option,
    costs: option,
    cores: option,
    'disk-tb': option,
    'wal-mb': option,
    'backup-mb': option,
    clients: option,
    merchants: option,
    zipf: option,
    json: { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
  },
  usage,
)

process.exitCode = values.measure ? (await import('./measure.ts')).measureAnew() : main()

function main(): number {
  try {
    const demand: Demand = {
      cards: readNumber('cards', 1_000_000),
      callsPerSecond: readNumber('calls', 100),
      averageLoad: readNumber('average', 0.3),
      years: readNumber('years', 5),
      cardYears: readNumber('card-years', 3),
      mix: readMix(values.mix),
    }
    const costs = readCosts(values.costs === undefined ? measuredValues : readValues(values.costs), 'postgres')
    const merchants = readNumber('merchants', 1000)
    const exponent = readNumber('zipf', 1)
    const needs = computeNeeds(demand, costs, {
      ...usualMachines,
      primaryCores: readNumber('cores', usualMachines.primaryCores),
      primaryTerabytes: readNumber('disk-tb', usualMachines.primaryTerabytes),
      walMegabytesPerSecond: readNumber('wal-mb', usualMachines.walMegabytesPerSecond),
      backupMegabytesPerSecond: readNumber('backup-mb', usualMachines.backupMegabytesPerSecond),
      clientConnections: readNumber('clients', usualMachines.clientConnections),
      hottestBucket: simulateShards({ merchants, exponent, shards: 1 }).hottestBucket,
    })
    const loads = simulateShards({ merchants, exponent, shards: needs.primaries })
    process.stdout.write(values.json ? `${JSON.stringify({ demand, needs, loads })}\n` : `${lines().join('\n')}\n`)

    function lines(): string[] {
      const rows: readonly [string, string][] = [
        ['payments', `${format(needs.paymentsOfCardAMonth)} of each card a month: does that fit what you expect?`],
        [
          'the service',
          `${format(needs.serviceCores)} cores busy: ${format(needs.workers)} workers of one core each, ${format(needs.serviceMemoryGigabytes)} GB of memory`,
        ],
        ['processor of PostgreSQL', `${format(needs.databaseCores)} cores busy`],
        [
          'primaries',
          needs.primaries === 1
            ? '1, with its standbys'
            : `${format(needs.primaries)}: PostgreSQL distributed by bucket (Citus), which is not ready in this version`,
        ],
        ['its connections', `${format(needs.databaseConnections)} of all services: for max_connections`],
        [
          'write-ahead log',
          `${format(needs.walMegabytesPerSecond)} MB/s, to disk and to each standby; its archive grows by ${format(needs.walTerabytesADay)} TB a day`,
        ],
        [
          'stored',
          `${format(needs.cardTerabytes + needs.paymentTerabytes)} TB after ${format(demand.years)} years: ${format(needs.cardTerabytes)} of cards, ${format(needs.paymentTerabytes)} of payments`,
        ],
        ['full backup', `${format(needs.backupHours)} hours, all primaries at once; a restore about as long`],
        ...needs.walls.map((wall, at): [string, string] => [at === 0 ? 'used up first' : 'then', describeWall(wall)]),
        [
          `${format(merchants)} merchants`,
          `the largest makes ${format(loads.largestMerchant * 100)} % of the calls, in one bucket; the hottest shard ${format(loads.hottestToMean)} times the mean, ${format(loads.balancedToMean)} once buckets are moved`,
        ],
      ]
      const width = Math.max(...rows.map(([name]) => name.length))
      return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    }
  } catch (err) {
    const message = err instanceof Error ? err.message : String(err)
    process.stderr.write(
      err instanceof ImpossibleDemand
        ? `This demand cannot be: ${message}. Fewer cards, or more --calls or --card-years.\n`
        : `${message}\n`,
    )
    return 64
  }
  return 0
}

type NumberOption = Exclude<keyof typeof values, 'mix' | 'costs' | 'json' | 'measure'>

function readNumber(name: NumberOption, usual: number): number {
  const text = values[name]
  if (text === undefined) return usual
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) throw new Error(`--${name} takes a number above 0, not "${text}".`)
  return value
}

function readMix(text: string | undefined): Demand['mix'] {
  if (text === undefined) return null
  const shares = text.split(',').map((part): [PricedCall, number] => {
    const [name = '', share = ''] = part.trim().split('=')
    const call = pricedCalls.find((each) => each === name)
    if (call === undefined) throw new Error(`--mix names "${name}". There are ${pricedCalls.join(', ')}.`)
    if (!(Number(share) >= 0) || share === '') throw new Error(`--mix gives ${name} the share "${share}", which is no number of 0 or more.`)
    return [call, Number(share)]
  })
  const sum = shares.reduce((total, [, share]) => total + share, 0)
  if (Math.abs(sum - 1) > 0.001) throw new Error(`The shares of --mix add up to ${format(sum)}, not to 1.`)
  return { ...(Object.fromEntries(pricedCalls.map((call) => [call, 0])) as CallMix), ...Object.fromEntries(shares) }
}

function readValues(path: string): readonly BenchValue[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (err) {
    throw new Error(`${path} cannot be read (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`)
  }
  try {
    const { measures } = JSON.parse(text) as { readonly measures?: readonly BenchValue[] }
    if (Array.isArray(measures)) return measures as readonly BenchValue[]
  } catch {
    // The same sentence says what the file should be.
  }
  throw new Error(`${path} is no output of the benchmark. Make it by: npm run -s bench -- costs --json > ${path}`)
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}
