import assert from 'node:assert/strict'
import { test } from 'node:test'

import { changeAtPace, makeWorkPace, runWhileWorking } from './work-pace.ts'

function makePaceUnderTest(waiting: number[], shareOfTime?: number) {
  const pauses: number[] = []
  const sleep = (ms: number) => Promise.resolve(void pauses.push(ms))
  return {
    pauses,
    pace: makeWorkPace({
      clock: { sleep, moment: () => ({ wallMs: 0, monotonicMs: 0, bootId: '' }) },
      waitingWrites: () => waiting.shift() ?? 0,
      ...(shareOfTime === undefined ? {} : { shareOfTime }),
    }),
  }
}

test('work pauses three times as long as it took, and longer while writes of calls wait, but not for ever', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  await pace.pause(20)
  assert.deepEqual(pauses, [60])
  const busy = makePaceUnderTest([100, 100, 0])
  await busy.pace.pause(20)
  assert.deepEqual(busy.pauses, [60, 60, 60])
  const overloaded = makePaceUnderTest(Array.from({ length: 1000 }, () => 100))
  await overloaded.pace.pause(1000)
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
    await pace.pause(20)
    assert.deepEqual(pauses, expected)
  }
})

test('rows are changed a few at a time with pauses between them, until the service stops', async () => {
  const { pauses, pace } = makePaceUnderTest([])
  const stopping = new AbortController()
  let inProgress = 0
  let most = 0
  const change = async (row: number): Promise<boolean> => {
    most = Math.max(most, ++inProgress)
    await Promise.resolve()
    inProgress -= 1
    if (row === 59) stopping.abort()
    return row % 2 === 0
  }
  const rows = Array.from({ length: 100 }, (_, row) => row)
  assert.equal(await changeAtPace(rows, change, { pace, stopping: stopping.signal }), 30)
  assert.deepEqual([pauses.length, most], [2, 20])
})

test('rounds follow each other until one finds nothing to do, or the service stops', async () => {
  const rounds = [500, 500, 20, 0, 7]
  const stopping = new AbortController()
  assert.equal(await runWhileWorking(() => Promise.resolve(rounds.shift() ?? 0), stopping.signal), 1020)
  assert.deepEqual(rounds, [7])
  stopping.abort()
  assert.equal(await runWhileWorking(() => Promise.resolve(1), stopping.signal), 0)
})
