import assert from 'node:assert/strict'
import { test } from 'node:test'

import { changeAtPace, makeWorkPace, runWhileWorking } from './work-pace.ts'

function makePaceUnderTest(waiting: number[], shareOfTime?: number, batchMs?: number) {
  const pauses: number[] = []
  const sleep = (ms: number) => Promise.resolve(void pauses.push(ms))
  return {
    pauses,
    pace: makeWorkPace({
      clock: { sleep, moment: () => ({ wallMs: 0, monotonicMs: 0, bootId: '' }) },
      waitingWrites: () => waiting.shift() ?? 0,
      ...(shareOfTime === undefined ? {} : { shareOfTime }),
      ...(batchMs === undefined ? {} : { batchMs }),
    }),
  }
}

/** A batch that is too small to say how long a change takes. */
function few(tookMs: number) {
  return { tookMs, changes: 1 }
}

test('work pauses three times as long as it took, and longer while writes of calls wait, but not for ever', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  await pace.pause(few(20))
  assert.deepEqual(pauses, [60])
  const busy = makePaceUnderTest([100, 100, 0])
  await busy.pace.pause(few(20))
  assert.deepEqual(busy.pauses, [60, 60, 60])
  const overloaded = makePaceUnderTest(Array.from({ length: 1000 }, () => 100))
  await overloaded.pace.pause(few(1000))
  assert.deepEqual(overloaded.pauses, [3000, 3000])
})

test('under a load that never ends, work waits at most ten times as long as it took, also with all of the time as its share', async () => {
  for (const [shareOfTime, expected] of [
    [0.25, [60, 60, 60, 60]],
    [1, Array.from({ length: 40 }, () => 5)],
  ] as const) {
    const { pauses, pace } = makePaceUnderTest(
      Array.from({ length: 1000 }, () => 100),
      shareOfTime,
    )
    await pace.pause(few(20))
    assert.deepEqual(pauses, expected)
  }
})

test('a batch that took longer than its changes take at the least has waited already: its pause is shorter, and waiting writes repeat it less often', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  for (const tookMs of [20, 40, 100, 20]) await pace.pause({ tookMs, changes: 100 })
  assert.deepEqual(pauses, [60, 40, 5, 60])
  // Twice as many changes take twice as long.
  await pace.pause({ tookMs: 60, changes: 200 })
  assert.equal(pauses.at(-1), 100)
  const overloaded = makePaceUnderTest(Array.from({ length: 1000 }, () => 100))
  await overloaded.pace.pause({ tookMs: 20, changes: 100 })
  overloaded.pauses.splice(0)
  await overloaded.pace.pause({ tookMs: 1000, changes: 100 })
  assert.equal(
    overloaded.pauses.reduce((sum, ms) => sum + ms, 0),
    200,
  )
})

test('what a change takes at the least is that of the latest 256 batches: work that has become slower pauses for longer again', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  await pace.pause({ tookMs: 20, changes: 100 })
  for (let batch = 0; batch < 256; batch++) await pace.pause({ tookMs: 80, changes: 100 })
  assert.deepEqual([pauses.at(-2), pauses.at(-1)], [5, 240])
})

test('batches become smaller while they take long, so that no call waits long for one, and larger again afterwards', async () => {
  const { pace } = makePaceUnderTest([])
  const rowsAfter = async (...times: readonly number[]): Promise<number[]> => {
    const rows: number[] = []
    for (const tookMs of times) {
      await pace.pause({ tookMs, changes: pace.batchRows() })
      rows.push(pace.batchRows())
    }
    return rows
  }
  assert.deepEqual(await rowsAfter(10, 50, 51, 200, 900), [100, 100, 50, 25, 25])
  assert.deepEqual(await rowsAfter(50, 20, 60), [30, 35, 25])
  const sizes: number[] = []
  const all = Array.from({ length: 60 }, (_, row) => row)
  await changeAtPace(all, (batch) => Promise.resolve(sizes.push(batch.length)), { pace })
  assert.deepEqual(sizes, [25, 30, 5])
})

test('where a batch may take eight milliseconds, it has as many rows as take that long by themselves, also on a busy machine', async () => {
  const { pace } = makePaceUnderTest([], 0.25, 8)
  assert.equal(pace.batchRows(), 25)
  await pace.pause({ tookMs: 10, changes: 25 })
  assert.equal(pace.batchRows(), 20)
  await pace.pause({ tookMs: 40, changes: 20 })
  assert.equal(pace.batchRows(), 20)
  await pace.pause({ tookMs: 4, changes: 20 })
  assert.equal(pace.batchRows(), 40)
  const slow = makePaceUnderTest([], 0.25, 8)
  await slow.pace.pause({ tookMs: 50, changes: 25 })
  assert.equal(slow.pace.batchRows(), 10)
})

test('rows are changed in batches with pauses between them, until the service stops', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  const stopping = new AbortController()
  const sizes: number[] = []
  const changeBatch = (batch: readonly number[]): Promise<number> => {
    sizes.push(batch.length)
    if (batch.includes(299)) stopping.abort()
    return Promise.resolve(batch.filter((row) => row % 2 === 0).length)
  }
  const rows = Array.from({ length: 450 }, (_, row) => row)
  assert.equal(await changeAtPace(rows, changeBatch, { pace, stopping: stopping.signal }), 150)
  assert.deepEqual([pauses.length, sizes], [2, [100, 100, 100]])
})

test('rounds follow each other until one finds nothing to do, or the service stops', async () => {
  const rounds = [500, 500, 20, 0, 7]
  const stopping = new AbortController()
  assert.equal(await runWhileWorking(() => Promise.resolve(rounds.shift() ?? 0), stopping.signal), 1020)
  assert.deepEqual(rounds, [7])
  stopping.abort()
  assert.equal(await runWhileWorking(() => Promise.resolve(1), stopping.signal), 0)
})
