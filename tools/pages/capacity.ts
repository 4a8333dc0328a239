import { readCosts, type CallCosts } from '../../bench/capacity/costs.ts'
import { ImpossibleDemand, mixOf, pricedCalls, type Demand } from '../../bench/capacity/demand.ts'
import { simulateShards } from '../../bench/capacity/hottest-shard.ts'
import { measuredRun, measuredValues } from '../../bench/capacity/measured.ts'
import { computeNeeds, usualMachines, wallNames, type WallName } from '../../bench/capacity/needs.ts'
import { describeWhen } from '../../bench/capacity/wall.ts'

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
    '## The first wall, and what moves it',
    wallsText,
    wallTable(costs),
    otherWalls,
    '## Merchants of different size',
    merchantsText,
    shardTable(),
    shardsText,
    '## Memory, connections and backups',
    machinesText,
  )
}

const intro = `What cards and calls need in processors, disks and time, computed from what each call was measured to cost. Measure on a machine like
yours, and compute with that; the tables below are for the machine that they name.`

const measuredOn = `Measured with \`npm run bench -- costs\` on ${describeMachine()}, with service, load and database on the same machine.
CPU time is counted until the service is idle again, so request log, summaries and counters are in it. The card network approves at once. What is deleted after days is not
counted as stored: request log, deliveries of webhooks, idempotency records, sent messages. \`npm run capacity -- --measure\` measures all of them anew, on a machine with
nothing else at work, and prints this page.`

function describeMachine(): string {
  const { machine, load, at } = measuredRun
  if (machine === undefined || load === undefined || at === undefined)
    return 'two virtual processors, data on a file system in memory, nothing else at work'
  const { processor, cores, memoryGiB, node } = machine
  return `${at.slice(0, 10)} on ${String(cores)} processors (${processor}), ${String(memoryGiB)} GiB, Node ${node.slice(1)}, at a load average of ${format(load)} before`
}

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

const usualDemand = { averageLoad: 0.3, years: 5, cardYears: 3, mix: null } as const

const assumptions = `All of it on PostgreSQL, for the busiest hour; an average hour has 30 % of its calls. As many cards are registered as end, after three years, each with
\`cards.create\`, \`cards.get_verify_code\` and \`cards.verify\`; of the other calls one in eleven is \`cards.check\`, and the rest are payments of two calls,
\`receipts.create\` and \`receipts.pay\`. Receipts and audit are stored for five years. Half of the cores are left free, for a failover, backups, and the sweeper. A primary has
${String(usualMachines.primaryCores)} cores and ${String(usualMachines.primaryTerabytes)} TB, writes ${String(usualMachines.walMegabytesPerSecond)} MB of log a second, and is
backed up with ${String(usualMachines.backupMegabytesPerSecond)} MB a second. Each of these is an option of \`npm run capacity\`.`

/** One row for each pair of cards and calls; where that cannot be, why. */
function rowsOfDemands(row: (demand: Demand) => string[], columns: number): string[][] {
  return [1e6, 1e8, 1e9].flatMap((cards) =>
    [100, 5000, 100_000].map((callsPerSecond) => {
      const head = [format(cards), format(callsPerSecond)]
      try {
        return [...head, ...row({ ...usualDemand, cards, callsPerSecond })]
      } catch (err) {
        if (!(err instanceof ImpossibleDemand)) throw err
        return [...head, `cannot be: ${err.message}`, ...Array.from({ length: columns - 1 }, () => '')]
      }
    }),
  )
}

function needsTable(costs: CallCosts): string {
  const rows = rowsOfDemands((demand) => {
    const needs = computeNeeds(demand, costs)
    const { workers, serviceMemoryGigabytes, databaseConnections, databaseCores, primaries, walMegabytesPerSecond } = needs
    const sizes = [needs.cardTerabytes, needs.paymentTerabytes, needs.backupHours, needs.walTerabytesADay]
    return [
      needs.paymentsOfCardAMonth,
      workers,
      serviceMemoryGigabytes,
      databaseConnections,
      databaseCores,
      primaries,
      walMegabytesPerSecond,
      ...sizes,
    ].map(format)
  }, 11)
  return markdownTable(
    [
      'cards',
      'calls a second',
      'payments a card, a month',
      'workers',
      'their memory, GB',
      'their connections to PostgreSQL',
      'cores of PostgreSQL, busy',
      'primaries',
      'log, MB/s',
      'cards, TB',
      'payments, TB',
      'full backup, hours',
      'archived log, TB a day',
    ],
    rows,
  )
}

const exampleDemand: Demand = { ...usualDemand, cards: 1e8, callsPerSecond: 5000 }
const exampleMix = mixOf(exampleDemand)

const readingIt = `**What is stored follows the payments, not the cards**: a payment leaves a receipt, an operation, and its entries of the audit, for years, and of 5,000
calls a second ${format(exampleMix['receipts.pay'] * 100)} % are payments with 100 million cards and ${format(mixOf({ ...exampleDemand, cards: 1e6 })['receipts.pay'] * 100)} % with a million.
So rows with the same calls differ little until the cards themselves are terabytes. *Payments a card, a month* says which rows can be real: nobody pays a thousand times a
month with one card, and who has a million cards does not have 100,000 calls a second. *Workers* are threads that answer, of one service or of several; at most four share a
process by default. *Primaries* is what the largest of processor, log and disk needs when the load is spread evenly.`

const wallsText =
  'How many times the demand each could grow until it ends, with 1,000 merchants by Zipf’s law; below 1, it has ended, and more of it is needed:'

const wallOrder: readonly WallName[] = ['cores', 'log', 'disks', 'largestMerchant', 'sweeper']

function wallTable(costs: CallCosts): string {
  const rows = rowsOfDemands((demand) => {
    const { walls } = computeNeeds(demand, costs)
    const first = walls[0]
    return [
      ...wallOrder.map((name) => format(walls.find((wall) => wall.name === name)?.atTimes ?? NaN)),
      first === undefined ? '' : `${wallNames[first.name].what}, ${describeWhen(first)}`,
    ]
  }, wallOrder.length + 1)
  return markdownTable(['cards', 'calls a second', ...wallOrder.map((name) => wallNames[name].what), 'the first'], rows)
}

const merchantsText = `All that a merchant has is in one bucket of 4,096, by a hash of its id, so that a change is one local transaction. Where buckets are spread
over several primaries, the largest merchants decide: with calls by Zipf's law (the merchant of rank *r* makes a share proportional to 1/*r*), a simulation that puts every
merchant into the bucket of its id gives:`

function shardTable(): string {
  const rows = [100, 1000, 10_000].flatMap((merchants) =>
    [4, 32].map((shards) => {
      const { largestMerchant, hottestShard, hottestToMean, balancedToMean } = simulateShards({ merchants, exponent: 1, shards })
      return [
        format(merchants),
        format(shards),
        `${format(largestMerchant * 100)} %`,
        `${format(hottestShard * 100)} %`,
        format(hottestToMean),
        format(balancedToMean),
      ]
    }),
  )
  return markdownTable(
    ['merchants', 'primaries', 'calls of the largest merchant', 'calls of the hottest primary', 'times the mean', 'after moving buckets'],
    rows,
  )
}

const otherWalls = `${wallOrder.map((name) => `- **${capitalize(wallNames[name].what)}**: ${wallNames[name].remedy}.`).join('\n')}
- **The thread that commits** ends the embedded store: it links and stores some 18,000 rows a second at 54 µs each ([benchmarks](benchmarks.md)), and a service has one such
  thread, whatever its [workers](workers.md). Beyond it, or beyond one disk, PostgreSQL is next.
- **A chain of the audit** is continued by one writer of one process, a commit at a time. Payments that wait share a commit, and more writers
  ([\`databaseWriters\`](../reference/settings.md#databaseWriters)) and more processes have more chains, so it ends with the processors, not before.
- **Resealing** under a new key takes 3,680 cards a second in one process ([benchmarks](benchmarks-large-stores.md#resealing-and-sweeping)): a billion cards under a compromised key 75
  hours.`

const shardsText = `Moving buckets to where there is room makes most primaries equal, but not the one with the largest merchant: one bucket is never divided. With 32 primaries
and 1,000 merchants, its bucket alone is more than four times the mean, so that the 32 do what seven do. Who has such a merchant needs a larger machine for it, or an
installation of its own; spreading one merchant over several buckets is reserved in the ids, and not built.`

const machinesText = `- **Memory**: a service had 220, 369 and 609 MiB after load with one, two and four workers on PostgreSQL, and 288, 441 and 729 on SQLite (\`npm run bench -- memory
  --quick\`); after a start without load it has 152, 237 and 406, and 185, 282 and 479. The table counts 220 MB for each worker, as if each were a service of its own. Each
  connection of a client takes 10 to 20 KB more (\`npm run bench -- idle-connections\`), and is counted as 20: the 8,192 of \`connectionsMax\` 164 MB. \`--clients\` says how many
  you have.
- **Connections to PostgreSQL**: 7 of one worker, 13 of two in one service, counted under load ([Workers](workers.md)); the table counts 7 for each. \`max_connections\`
  has to allow them, and those of the services that start while others still drain.
- **Backups**: a full one of each primary at once, at the rate of one. A restore copies as much back, and then replays the log since: with a full backup a week, and the log
  archived as it is written, plan for seven days of *archived log*, and replaying it takes about as long as a primary needs to write it again. Above some hours use
  incremental backups ([Backup](backup.md)).
- **Standbys** have the same processors and disks as their primary, and take its log at the same rate.`

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}
