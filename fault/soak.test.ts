import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTrends, judgeSamples, planPhases, type SoakSample } from './soak-judgement.ts'
import { theilSenSlope } from './statistics.ts'

/** Samples a minute apart; in the first twelve minutes memory grows. */
function samplesWith(change: (minute: number) => Partial<SoakSample>, minutes = 60): SoakSample[] {
  return Array.from({ length: minutes }, (_, at) => {
    const minute = at + 1
    const flat = {
      seconds: minute * 60,
      calls: 1000,
      p99Ms: 20 + (minute % 3),
      rssMib: 200 + Math.min(minute, 12) * 8,
      liveMib: minute % 3 === 0 ? 40 + (minute % 5) : null,
      objects: minute % 3 === 0 ? 1000 : null,
      descriptors: 50,
      walMib: 16,
    }
    return { ...flat, ...change(minute) }
  })
}

test('flat samples are within the bounds, whatever grew while caches filled', () => {
  assert.deepEqual(
    judgeSamples(
      samplesWith(() => ({})),
      'sqlite',
    ),
    [],
  )
})

test('each of memory, live memory, descriptors, write-ahead log and p99 is judged', () => {
  const cases: [RegExp, (minute: number) => Partial<SoakSample>][] = [
    [/^memory grew by 47\.0 MiB, and the bound is 24\.0/, (minute) => ({ rssMib: 200 + minute })],
    [/^live memory grew by 1[34]\.\d MiB, and the bound is 12\.0/, (minute) => ({ liveMib: minute % 3 === 0 ? 40 + minute * 0.3 : null })],
    [/^descriptors grew by 9\.4/, (minute) => ({ descriptors: 50 + minute / 5 })],
    [/^the write-ahead log had 90 MiB, and the bound is 80/, (minute) => ({ walMib: minute === 40 ? 90 : 16 })],
    [/^p99 went from 2\d\.\d to 60\.0 ms/, (minute) => (minute > 40 ? { p99Ms: 60 } : {})],
  ]
  for (const [expected, change] of cases) {
    const complaints = judgeSamples(samplesWith(change), 'sqlite')
    assert.equal(complaints.length, 1, String(complaints))
    assert.match(complaints[0] ?? '', expected)
  }
  const wal = samplesWith(() => ({ walMib: 90 }))
  assert.deepEqual(judgeSamples(wal, 'postgres'), [], 'a server has its own bound')
})

test('the versions of stored objects may take their 24 to 48 bytes each', () => {
  const grow = (minute: number): Partial<SoakSample> => ({ liveMib: minute % 3 === 0 ? 40 + minute * 0.5 : null })
  const withObjects = (minute: number): Partial<SoakSample> => ({ ...grow(minute), objects: minute % 3 === 0 ? minute * 15_000 : null })
  assert.equal(judgeSamples(samplesWith(grow), 'sqlite').length, 1)
  assert.deepEqual(judgeSamples(samplesWith(withObjects), 'sqlite'), [])
})

test('a single sample that is far off is not growth, and samples without live memory are not flat', () => {
  const spike = samplesWith((minute) => (minute === 60 ? { rssMib: 900, liveMib: 400, descriptors: 90 } : {}))
  assert.deepEqual(judgeSamples(spike, 'sqlite'), [])
  assert.match(
    judgeSamples(
      samplesWith(() => ({ liveMib: null })),
      'sqlite',
    ).join(),
    /^live memory grew by NaN/,
  )
})

test('a run that is mostly warm-up says that resident memory is not judged, and judges live memory', () => {
  const short = samplesWith((minute) => ({ rssMib: 200 + 40 * minute, liveMib: 40 + 2 * minute }), 20)
  assert.deepEqual(
    judgeSamples(short, 'sqlite').map((text) => text.replace(/ by .*/, '')),
    ['live memory grew'],
  )
  assert.match(describeTrends(short, 'sqlite').notes[0] ?? '', /not judged/)
})

test('the warm-up is a fifth, five minutes at least, and half of a run that is shorter than ten', () => {
  assert.deepEqual(
    [3600, 1200, 600, 60].map((seconds) => planPhases(seconds).warmUpSeconds),
    [720, 300, 300, 30],
  )
})

test('the slope through points does not depend on an outlier', () => {
  const points = [0, 1, 2, 3, 4, 5, 6].map((x): [number, number] => [x, x === 6 ? 100 : 1 + 2 * x])
  assert.equal(theilSenSlope(points), 2)
  assert.ok(Number.isNaN(theilSenSlope([[1, 1]])))
})
