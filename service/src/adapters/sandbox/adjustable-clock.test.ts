import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeAdjustableClock, maxOffsetMs } from './adjustable-clock.ts'

test('a clock that was never moved returns the machine’s time', () => {
  const machine = makeHandClock()
  const { clock } = makeAdjustableClock(machine)
  assert.deepEqual([clock.now(), clock.moment()], [machine.now(), machine.moment()])
})

test('a move forward moves both clocks, a move back only the wall clock, and the monotonic clock never goes back', () => {
  const machine = makeHandClock()
  const { clock, mover } = makeAdjustableClock(machine)
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

test('an offset is from 0 to 400 days, in whole milliseconds', () => {
  const { mover } = makeAdjustableClock(makeHandClock())
  for (const wrong of [-1, maxOffsetMs + 1, 0.5, Number.NaN]) assert.throws(() => mover.moveTo(wrong), RangeError)
  assert.equal(mover.offsetMs(), 0)
})
