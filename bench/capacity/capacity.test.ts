import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { check, resolveConfig } from 'prettier'

import { beginRun } from '../history.ts'

import { readCosts, type CallCosts } from './costs.ts'
import { mixOf, pricedCalls, type CallMix, type Demand } from './demand.ts'
import { simulateShards } from './hottest-shard.ts'
import { formatRun } from './measure.ts'
import { measuredValues } from './measured.ts'
import { computeNeeds, usualMachines } from './needs.ts'

const eachCostsTheSame = Object.fromEntries(
  pricedCalls.map((call) => [call, { serviceMicros: 200, databaseMicros: 100, walBytes: 1000, storedBytes: 500 }]),
) as unknown as CallCosts
const mix: CallMix = {
  'cards.create': 0.04,
  'cards.get_verify_code': 0.04,
  'cards.verify': 0.04,
  'cards.check': 0.08,
  'receipts.create': 0.4,
  'receipts.pay': 0.4,
}
const demand: Demand = { cards: 1_000_000, callsPerSecond: 10_000, averageLoad: 0.5, years: 2, cardYears: 3, mix }

test('cores and log are calls a second times their cost, half of the cores are left free, and one process has one core', () => {
  const needs = computeNeeds(demand, eachCostsTheSame)
  assert.deepEqual([needs.serviceCores, needs.databaseCores, needs.walMegabytesPerSecond], [2, 1, 10])
  assert.equal(needs.workers, 4)
  assert.equal(needs.databaseConnections, 28)
})

test('what is stored is each card there is, each that was registered in all years, and each payment of them', () => {
  const seconds = 2 * 365 * 86_400 * 0.5
  const { cardTerabytes, paymentTerabytes } = computeNeeds(demand, eachCostsTheSame)
  assert.equal(cardTerabytes.toFixed(9), (((1_000_000 + 10_000 * 0.04 * seconds) * 3 * 500) / 1e12).toFixed(9))
  assert.equal(paymentTerabytes.toFixed(9), ((10_000 * 0.8 * seconds * 500) / 1e12).toFixed(9))
})

test('without a mix as many cards are registered as end, so more cards are more registrations, until those are more than all calls', () => {
  const callsPerSecond = 100
  const of = (cards: number): CallMix => mixOf({ ...demand, mix: null, cards, callsPerSecond })
  const registrationsPerSecond = 100_000_000 / (3 * 365 * 86_400 * 0.5)
  assert.equal(of(100_000_000)['cards.verify'].toFixed(9), (registrationsPerSecond / callsPerSecond).toFixed(9))
  for (const cards of [1_000_000, 100_000_000]) {
    const shares = of(cards)
    assert.equal(
      Object.values(shares)
        .reduce((sum, share) => sum + share, 0)
        .toFixed(9),
      '1.000000000',
    )
    assert.equal(shares['receipts.pay'].toFixed(9), (shares['cards.check'] * 5).toFixed(9))
  }
  assert.ok(of(100_000_000)['receipts.pay'] < of(1_000_000)['receipts.pay'])
  assert.throws(() => of(2_000_000_000), /to replace the cards as they end, after 3 years, takes 127 calls a second alone/)
})

test('the first wall is what is used up at the smallest multiple, and primaries are as many as are needed for all', () => {
  const small = computeNeeds({ ...demand, callsPerSecond: 100, years: 1 }, eachCostsTheSame, {
    ...usualMachines,
    primaryCores: 1,
    primaryTerabytes: 1000,
  })
  assert.equal(small.primaries, 1)
  assert.deepEqual(small.walls[0], { name: 'cores', atTimes: 50 })
  const large = computeNeeds({ ...demand, years: 1 }, eachCostsTheSame, {
    ...usualMachines,
    walMegabytesPerSecond: 4,
    primaryTerabytes: 1000,
    hottestBucket: 0.25,
  })
  assert.equal(large.primaries, 3)
  assert.deepEqual(large.walls[0], { name: 'log', atTimes: 0.4 })
  // A quarter of two and a half primaries.
  assert.deepEqual(
    large.walls.find(({ name }) => name === 'largestMerchant'),
    { name: 'largestMerchant', atTimes: 1.6 },
  )
})

test('by Zipf the largest of a thousand merchants makes 13 % of the calls, and its shard cannot have less', () => {
  const { largestMerchant, hottestBucket, hottestShard } = simulateShards({ merchants: 1000, exponent: 1, shards: 32 })
  assert.equal(Math.round(largestMerchant * 1000), 134)
  assert.ok(hottestBucket >= largestMerchant && hottestShard >= hottestBucket)
  assert.equal(simulateShards({ merchants: 1000, exponent: 1, shards: 1 }).hottestToMean.toFixed(9), '1.000000000')
  const equal = simulateShards({ merchants: 100_000, exponent: 0, shards: 4 })
  assert.ok(equal.hottestToMean < 1.1, 'equal merchants are spread evenly')
  const of32 = simulateShards({ merchants: 1000, exponent: 1, shards: 32 })
  assert.ok(of32.balancedToMean <= of32.hottestToMean, 'moving buckets makes nothing worse')
  assert.equal(of32.balancedToMean.toFixed(6), (of32.hottestBucket * 32).toFixed(6), 'but the bucket of the largest merchant stays')
  assert.equal(simulateShards({ merchants: 1000, exponent: 1, shards: 1 }).hottestBucket.toFixed(3), usualMachines.hottestBucket.toFixed(3))
})

test('every cost is in the file that was measured, and a file without one is refused with its name', () => {
  for (const store of ['sqlite', 'postgres'] as const) {
    for (const [call, cost] of Object.entries(readCosts(measuredValues, store))) assert.ok(cost.serviceMicros > 0, `${call} ${store}`)
  }
  const without = measuredValues.filter(({ of, name }) => of !== 'receipts.pay postgres' || name !== 'write-ahead log')
  assert.throws(() => readCosts(without, 'postgres'), /The file has no "write-ahead log" of receipts.pay on postgres/)
})

test('a run that was measured anew is stored with its machine, one line for each value, as the formatter writes it', async () => {
  const run = { ...beginRun(false), measures: measuredValues }
  const text = formatRun(run)
  assert.deepEqual(JSON.parse(text), run)
  assert.equal(text.split('\n').filter((line) => line.includes('"of"')).length, measuredValues.length)
  const path = fileURLToPath(new URL('measured.json', import.meta.url))
  assert.ok(await check(text, { ...(await resolveConfig(path)), filepath: path }))
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
  assert.match(text, /^then +the sweeper of one process, at [\d,.]+ times this demand: /m)
  const { needs } = JSON.parse(run('--calls', '100000', '--json').text) as { needs: { primaries: number } }
  assert.ok(needs.primaries > 1)
  for (const [args, message] of [
    [['--calls', 'many'], '--calls takes a number above 0, not "many".'],
    [['--mix', 'cards.check=0.5'], 'The shares of --mix add up to 0.5, not to 1.'],
    [['--mix', 'cards.pay=1'], '--mix names "cards.pay". There are cards.create,'],
    [
      ['--cards', '1000000000', '--calls', '100'],
      'This demand cannot be: to replace the cards as they end, after 3 years, takes 106 calls a second alone.',
    ],
    [['--costs', '/nowhere.json'], '/nowhere.json cannot be read (ENOENT).'],
    [['--costs', program], 'is no output of the benchmark. Make it by: npm run -s bench -- costs --json'],
  ] as const) {
    const refused = run(...args)
    assert.equal(refused.status, 64)
    assert.ok(refused.text.includes(message), refused.text)
  }
})

const program = fileURLToPath(new URL('main.ts', import.meta.url))
