import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeWorkPace, runWhileWorking } from './work-pace.ts'

function makePaceUnderTest(waiting: number[]) {
  const pauses: number[] = []
  const sleep = (ms: number) => Promise.resolve(void pauses.push(ms))
  return {
    pauses,
    pace: makeWorkPace({
      clock: { sleep, moment: () => ({ wallMs: 0, monotonicMs: 0, bootId: '' }) },
      waitingWrites: () => waiting.shift() ?? 0,
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

test('rounds follow each other until one finds nothing to do, or the service stops', async () => {
  const rounds = [500, 500, 20, 0, 7]
  const { pauses, pace } = makePaceUnderTest([])
  const stopping = new AbortController()
  assert.equal(await runWhileWorking(() => Promise.resolve(rounds.shift() ?? 0), pace, stopping.signal), 1020)
  assert.equal(pauses.length, 3)
  stopping.abort()
  assert.equal(await runWhileWorking(() => Promise.resolve(1), pace, stopping.signal), 0)
})
