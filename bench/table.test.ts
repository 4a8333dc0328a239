import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReached, type Figure } from './measurement.ts'
import { formatFigures } from './table.ts'

const figure: Figure = { of: 'create sqlite', name: 'throughput', value: 0.5234, unit: 'of the floor', aim: { least: 0.6 } }

test('a figure is told beside its aim, and whether it was reached', () => {
  const lines = formatFigures([
    figure,
    { of: 'start', name: 'again', value: 1234.5, unit: 'ms', aim: { most: 2000 } },
    { of: 'x', name: 'y', value: 7, unit: '' },
  ])
  assert.deepEqual(lines.split('\n'), [
    'create sqlite  throughput  0.52 of the floor  ≥ 0.60   MISSED',
    'start          again       1,235 ms           ≤ 2,000  reached',
    'x              y           7',
  ])
})

test('an aim is reached at its very value', () => {
  assert.deepEqual([isReached({ ...figure, value: 0.6 }), isReached({ ...figure, value: 0.59 })], [true, false])
  assert.deepEqual([isReached({ ...figure, aim: { most: 0.5234 } }), isReached({ of: '', name: '', value: 1, unit: '' })], [true, null])
})
