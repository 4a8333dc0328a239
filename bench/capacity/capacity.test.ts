import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { readCosts, type CallCosts } from './costs.ts'
import { pricedCalls, usualMix, type Demand } from './demand.ts'
import { simulateShards } from './hottest-shard.ts'
import { measuredValues } from './measured.ts'
import { computeNeeds, usualMachines } from './needs.ts'

const eachCostsTheSame = Object.fromEntries(
  pricedCalls.map((call) => [call, { serviceMicros: 200, databaseMicros: 100, walBytes: 1000, storedBytes: 500 }]),
) as unknown as CallCosts
const demand: Demand = { cards: 1_000_000, callsPerSecond: 10_000, averageLoad: 0.5, years: 2, mix: usualMix }

test('cores and log are calls a second times their cost, half of the cores are left free, and one process has one core', () => {
  const needs = computeNeeds(demand, eachCostsTheSame)
  assert.deepEqual([needs.serviceCores, needs.databaseCores, needs.walMegabytesPerSecond], [2, 1, 10])
  assert.equal(needs.processes, 4)
})

test('what is stored is each registration, of as many cards as there are or as were made, and each payment of all years', () => {
  const seconds = 2 * 365 * 86_400 * 0.5
  const registered = 10_000 * 0.04 * seconds
  const bytes = registered * 3 * 500 + 10_000 * 0.8 * seconds * 500
  assert.equal(computeNeeds(demand, eachCostsTheSame).storedTerabytes, bytes / 1e12)
  const many = computeNeeds({ ...demand, cards: registered * 2 }, eachCostsTheSame)
  assert.equal(many.storedTerabytes, (bytes + registered * 3 * 500) / 1e12)
})

test('the first wall is what is used up at the smallest multiple, and primaries are as many as are needed for all', () => {
  const small = computeNeeds({ ...demand, callsPerSecond: 100, years: 1 }, eachCostsTheSame, {
    ...usualMachines,
    primaryCores: 1,
    primaryTerabytes: 1000,
  })
  assert.equal(small.primaries, 1)
  assert.deepEqual(small.firstWall, { what: 'the cores of one primary', atTimes: 50 })
  const large = computeNeeds({ ...demand, years: 1 }, eachCostsTheSame, {
    ...usualMachines,
    walMegabytesPerSecond: 4,
    primaryTerabytes: 1000,
  })
  assert.equal(large.primaries, 3)
  assert.deepEqual(large.firstWall, { what: 'the write-ahead log of one primary', atTimes: 0.4 })
})

test('by Zipf the largest of a thousand merchants makes 13 % of the calls, and its shard cannot have less', () => {
  const { largestMerchant, hottestBucket, hottestShard } = simulateShards({ merchants: 1000, exponent: 1, shards: 32 })
  assert.equal(Math.round(largestMerchant * 1000), 134)
  assert.ok(hottestBucket >= largestMerchant && hottestShard >= hottestBucket)
  assert.equal(simulateShards({ merchants: 1000, exponent: 1, shards: 1 }).hottestToMean.toFixed(9), '1.000000000')
  const equal = simulateShards({ merchants: 100_000, exponent: 0, shards: 4 })
  assert.ok(equal.hottestToMean < 1.1, 'equal merchants are spread evenly')
})

test('every cost is in the file that was measured, and a file without one is refused with its name', () => {
  for (const store of ['sqlite', 'postgres'] as const) {
    for (const [call, cost] of Object.entries(readCosts(measuredValues, store))) assert.ok(cost.serviceMicros > 0, `${call} ${store}`)
  }
  const without = measuredValues.filter(({ of, name }) => of !== 'receipts.pay postgres' || name !== 'write-ahead log')
  assert.throws(() => readCosts(without, 'postgres'), /The file has no "write-ahead log" of receipts.pay on postgres/)
})

test('the command prints what it takes, and refuses what it cannot read', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }
  const { status, text } = run('--cards', '1000000', '--calls', '20')
  assert.equal(status, 0, text)
  assert.match(text, /^primaries +1, with its standbys$/m)
  assert.match(text, /^used up first +the \w+.* of one primary, at [\d,.]+ times this demand: /m)
  const { needs } = JSON.parse(run('--calls', '100000', '--json').text) as { needs: { primaries: number } }
  assert.ok(needs.primaries > 1)
  for (const [args, message] of [
    [['--calls', 'many'], '--calls takes a number above 0, not "many".'],
    [['--mix', 'cards.check=0.5'], 'The shares of --mix add up to 0.5, not to 1.'],
    [['--mix', 'cards.pay=1'], '--mix names "cards.pay". There are cards.create,'],
    [['--costs', '/nowhere.json'], '/nowhere.json cannot be read (ENOENT).'],
    [['--costs', program], 'is no output of the benchmark. Make it by: npm run -s bench -- costs --json'],
  ] as const) {
    const refused = run(...args)
    assert.equal(refused.status, 64)
    assert.ok(refused.text.includes(message), refused.text)
  }
})

const program = fileURLToPath(new URL('main.ts', import.meta.url))
