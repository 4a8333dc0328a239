import assert from 'node:assert/strict'
import { test } from 'node:test'

import { axisTicks, changePercent, labelStride, stepAfterKey, stepAt } from './chart-scale.ts'

test('gridlines are round numbers that reach the largest value', () => {
  assert.deepEqual(axisTicks(0), [0, 1])
  assert.deepEqual(axisTicks(1), [0, 1])
  assert.deepEqual(axisTicks(3), [0, 1, 2, 3])
  assert.deepEqual(axisTicks(97), [0, 50, 100])
  assert.deepEqual(axisTicks(1_234_500), [0, 500_000, 1_000_000, 1_500_000])
  assert.deepEqual(axisTicks(Number.NaN), [0, 1])
  for (let max = 1; max < 5000; max += 7) {
    const ticks = axisTicks(max)
    assert.ok((ticks.at(-1) ?? 0) >= max && ticks.length >= 2 && ticks.length <= 6, `${max}: ${ticks.join(' ')}`)
  }
})

test('labels that have no room are left out evenly', () => {
  assert.deepEqual([labelStride(7, 600, 60), labelStride(30, 600, 60), labelStride(90, 300, 60)], [1, 3, 18])
})

test('a position and the keys choose a step', () => {
  const axis = { left: 40, width: 100, count: 10 }
  assert.deepEqual([stepAt(39, axis), stepAt(40, axis), stepAt(95, axis), stepAt(140, axis)], [null, 0, 5, null])
  assert.deepEqual([stepAfterKey('ArrowRight', null, 3), stepAfterKey('ArrowRight', 2, 3), stepAfterKey('ArrowLeft', null, 3)], [0, 2, 2])
  assert.deepEqual([stepAfterKey('Home', 2, 3), stepAfterKey('End', 0, 3), stepAfterKey('Tab', 0, 3)], [0, 2, null])
})

test('a change is in whole percent, and from nothing there is none', () => {
  assert.deepEqual([changePercent(200, 250), changePercent(200, 0), changePercent(0, 5), changePercent(-100, 100)], [25, -100, null, 200])
})
