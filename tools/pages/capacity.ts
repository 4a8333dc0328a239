import { readCosts, type CallCosts } from '../../bench/capacity/costs.ts'
import { pricedCalls, usualMix } from '../../bench/capacity/demand.ts'
import { simulateShards } from '../../bench/capacity/hottest-shard.ts'
import { measuredValues } from '../../bench/capacity/measured.ts'
import { computeNeeds, usualMachines } from '../../bench/capacity/needs.ts'
import { describeWall } from '../../bench/capacity/wall.ts'

import { fence, markdownTable, page, printedFrom } from './markdown.ts'

/** How much of everything a number of cards and calls takes. */
export function printCapacityPage(): string {
  const costs = readCosts(measuredValues, 'postgres')
  return page(
    '# Capacity',
    printedFrom('bench/capacity/'),
    intro,
    fence('bash', 'npm run -s bench -- costs --json > costs.json\nnpm run capacity -- --costs costs.json --cards 100000000 --calls 5000'),
    '## What a call costs',
    measuredOn,
    costTable(),
    '## What that comes to',
    assumptions,
    needsTable(costs),
    readingIt,
    '## Merchants of different size',
    merchantsText,
    shardTable(),
    '## What else has an end',
    otherWalls,
  )
}

const intro = `What cards and calls need in processors, disks and time, computed from what each call was measured to cost. Measure on a machine like
yours, and compute with that; the tables below are for the machine that they name.`

const measuredOn = `Measured with \`npm run bench -- costs\` on two virtual processors, with service, load and database on the same machine, data on a file system
in memory, nothing else at work. CPU time is counted until the service is
idle again, so request log, summaries and counters are in it. The card network approves at once. What is deleted after days is not counted as stored: request log, deliveries of webhooks,
idempotency records, sent messages.`

function costTable(): string {
  const [postgres, sqlite] = [readCosts(measuredValues, 'postgres'), readCosts(measuredValues, 'sqlite')]
  return markdownTable(
    ['call', 'service, µs', 'PostgreSQL, µs', 'log, bytes', 'stored for years, bytes', 'on SQLite: service, µs', 'stored, bytes'],
    pricedCalls.map((call) => {
      const { serviceMicros, databaseMicros, walBytes, storedBytes } = postgres[call]
      const embedded = sqlite[call]
      return [
        `\`${call}\``,
        ...[serviceMicros, databaseMicros, walBytes, storedBytes, embedded.serviceMicros, embedded.storedBytes].map(format),
      ]
    }),
  )
}

const mixText = pricedCalls.map((call) => `${format(usualMix[call] * 100)} % \`${call}\``).join(', ')

const assumptions = `Of the calls of the busiest hour an average one has 30 %; ${mixText}; receipts and audit are stored for five years. Half of the cores are left
free, for a failover, backups, and the sweeper. A primary has ${String(usualMachines.primaryCores)} cores and
${String(usualMachines.primaryTerabytes)} TB, writes ${String(usualMachines.walMegabytesPerSecond)} MB of log a second, and is backed up with
${String(usualMachines.backupMegabytesPerSecond)} MB a second. Each of these is an option of \`npm run capacity\`.`

function needsTable(costs: CallCosts): string {
  const rows = [1e6, 1e8, 1e9].flatMap((cards) =>
    [100, 5000, 100_000].map((callsPerSecond) => {
      const needs = computeNeeds({ cards, callsPerSecond, averageLoad: 0.3, years: 5, mix: usualMix }, costs)
      const { processes, databaseCores, primaries, walMegabytesPerSecond, storedTerabytes, backupHours, firstWall } = needs
      return [
        ...[cards, callsPerSecond, processes, databaseCores, primaries, walMegabytesPerSecond, storedTerabytes, backupHours].map(format),
        describeWall(firstWall).split(':')[0] ?? '',
      ]
    }),
  )
  return markdownTable(
    [
      'cards',
      'calls a second',
      'processes',
      'cores of PostgreSQL, busy',
      'primaries',
      'log, MB/s',
      'stored, TB',
      'full backup, hours',
      'used up first',
    ],
    rows,
  )
}

const readingIt = `What is stored follows the payments, not the cards: each leaves a receipt, an operation, and its entries of the audit. Fewer years, or a
move of old receipts elsewhere, is what moves that wall; \`--years\` says how far.`

const merchantsText = `All that a merchant has is in one bucket of 4,096, by a hash of its id, so that a change is one local transaction. Where buckets are spread
over several primaries, the largest merchants decide: with calls by Zipf's law (the merchant of rank *r* makes a share proportional to 1/*r*), a simulation that puts every
merchant into the bucket of its id gives:`

function shardTable(): string {
  const rows = [100, 1000, 10_000].flatMap((merchants) =>
    [4, 32].map((shards) => {
      const { largestMerchant, hottestShard, hottestToMean } = simulateShards({ merchants, exponent: 1, shards })
      return [
        format(merchants),
        format(shards),
        `${format(largestMerchant * 100)} %`,
        `${format(hottestShard * 100)} %`,
        format(hottestToMean),
      ]
    }),
  )
  return markdownTable(['merchants', 'primaries', 'calls of the largest merchant', 'calls of the hottest primary', 'times the mean'], rows)
}

const otherWalls = `- **The embedded store** has one thread that commits. It links and stores some 18,000 rows a second at 54 µs each ([benchmarks](benchmarks.md)), and a service has one
  such thread, whatever its [workers](running.md#workers): beyond it, or beyond one disk, PostgreSQL is next.
- **The largest merchant** is in one bucket: its calls cannot exceed what one primary takes. Spreading one over several buckets is reserved in the ids, and not built.
- **A chain of the audit** is continued by one writer of one process, a commit at a time; more writers and more processes have more chains.
- **The sweeper** ends 4,560 cards a second on PostgreSQL in one process and **resealing** 3,680 ([benchmarks](benchmarks.md#resealing-and-sweeping)): a billion cards under a
  compromised key take 75 hours in one process.
- **Connections** take some 20 KB each in a process; \`connectionsMax\` is 8,192.`

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}
