import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSamples, type SoakSample } from './soak.ts'
import { slopeOf } from './statistics.ts'

/** An hour of samples; the first fifth is the warm-up, in which everything grows. */
function samplesWith(change: (minute: number) => Partial<SoakSample>): SoakSample[] {
  return Array.from({ length: 60 }, (_, at) => {
    const minute = at + 1
    const flat = {
      seconds: minute * 60,
      calls: 1000,
      p99Ms: 20 + (minute % 3),
      rssMib: 200 + Math.min(minute, 12) * 8,
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

test('each of memory, descriptors, write-ahead log and p99 is judged', () => {
  const cases: [RegExp, (minute: number) => Partial<SoakSample>][] = [
    [/^memory grew by 47\.0 MiB/, (minute) => ({ rssMib: 200 + minute })],
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

test('the slope of a straight line through points', () => {
  assert.equal(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
    2,
  )
  assert.ok(Number.isNaN(slopeOf([[1, 1]])))
})
