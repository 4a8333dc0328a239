import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTargetReached, type Measure } from './measurement.ts'
import { formatMarkdown, formatMeasures } from './table.ts'

const measure: Measure = { of: 'create sqlite', name: 'throughput', value: 0.5234, unit: 'of the floor', target: { least: 0.6 } }

test('a value is printed with its target, and whether it was reached', () => {
  const lines = formatMeasures([
    measure,
    { of: 'start', name: 'again', value: 1234.5, unit: 'ms', target: { most: 2000 } },
    { of: 'x', name: 'y', value: 7, unit: '' },
  ])
  assert.deepEqual(lines.split('\n'), [
    'create sqlite  throughput  0.52 of the floor  ≥ 0.60   MISSED',
    'start          again       1,235 ms           ≤ 2,000  reached',
    'x              y           7',
  ])
})

test('a value of several rounds is printed with its interval, and a target inside of it is not decided', () => {
  const interval = { low: 0.5, high: 0.61, confidence: 0.9609375, rounds: 9 }
  const lines = formatMeasures([
    { ...measure, interval },
    { ...measure, interval: { ...interval, high: 0.59 } },
    { of: 'x', name: 'y', value: 7, unit: '' },
  ])
  assert.deepEqual(lines.split('\n'), [
    'create sqlite  throughput  0.52 of the floor  0.50 to 0.61 (96 %, 9 rounds)  ≥ 0.60  MISSED, within the noise',
    'create sqlite  throughput  0.52 of the floor  0.50 to 0.59 (96 %, 9 rounds)  ≥ 0.60  MISSED',
    'x              y           7',
  ])
})

test('a target is reached at exactly its value', () => {
  assert.deepEqual([isTargetReached({ ...measure, value: 0.6 }), isTargetReached({ ...measure, value: 0.59 })], [true, false])
  assert.deepEqual(
    [isTargetReached({ ...measure, target: { most: 0.5234 } }), isTargetReached({ of: '', name: '', value: 1, unit: '' })],
    [true, null],
  )
})

test('values are printed as a table of Markdown, with a sign of the table escaped', () => {
  const interval = { low: 0.5, high: 0.61, confidence: 0.9609375, rounds: 9 }
  const lines = formatMarkdown([
    { ...measure, interval },
    { of: 'a|b', name: 'y', value: 7, unit: '' },
  ])
  assert.deepEqual(lines.split('\n'), [
    '| of | value | measured | interval | target | verdict |',
    '| --- | --- | --- | --- | --- | --- |',
    '| create sqlite | throughput | 0.52 of the floor | 0.50 to 0.61 (96 %, 9 rounds) | ≥ 0.60 | MISSED, within the noise |',
    '| a\\|b | y | 7 |  |  |  |',
  ])
})
