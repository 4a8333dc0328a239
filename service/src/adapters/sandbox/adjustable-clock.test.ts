import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeMovedClock, offsetMaxMs } from './adjustable-clock.ts'

test('a clock that was never moved is the machine’s own', () => {
  const machine = makeHandClock()
  const { clock } = makeMovedClock(machine)
  assert.deepEqual([clock.now(), clock.moment()], [machine.now(), machine.moment()])
})

test('ahead both clocks go on, back the wall clock alone, and the one that never jumps never goes back', () => {
  const machine = makeHandClock()
  const { clock, mover } = makeMovedClock(machine)
  const [wallMs, { monotonicMs }] = [machine.now(), machine.moment()]
  const seen: [wall: number, monotonic: number][] = []
  for (const offset of [5000, 3000, 9000, 0]) {
    mover.moveTo(offset)
    const moment = clock.moment()
    assert.equal(moment.wallMs, clock.now())
    seen.push([moment.wallMs - wallMs, moment.monotonicMs - monotonicMs])
  }
  assert.deepEqual(seen, [
    [5000, 5000],
    [3000, 5000],
    [9000, 11_000],
    [0, 11_000],
  ])
  assert.notEqual(clock.moment().bootId, machine.moment().bootId)
})

test('an offset is from nought to 400 days, in whole milliseconds', () => {
  const { mover } = makeMovedClock(makeHandClock())
  for (const wrong of [-1, offsetMaxMs + 1, 0.5, Number.NaN]) assert.throws(() => mover.moveTo(wrong), RangeError)
  assert.equal(mover.offsetMs(), 0)
})
