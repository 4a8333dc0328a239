import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeStatement, withMany } from '../statement.ts'
import { mergeSteps } from './merged-steps.ts'
import type { Step } from './pipelined-query.ts'

const plain = makeStatement('select plain')
const insert = withMany(makeStatement('insert one'), 'insert many', { columns: 2, key: ['id', 'hash'] })
const other = withMany(makeStatement('other one'), 'other many', { columns: 1 })

function insertOf(id: number): Step {
  return { statement: insert, values: [id, Uint8Array.of(id), 'not for many'] }
}

function textsOf(transactions: readonly (readonly Step[])[], mayMerge = true): string[] {
  return mergeSteps(
    transactions.map((steps, place) => ({ place, steps })),
    mayMerge,
  ).map(({ step, places }) => `${step.statement.text}: ${places.join(' ')}`)
}

test('equal statements that come next in several transactions are one, and each transaction keeps its own order', () => {
  const first = [insertOf(1), insertOf(2), { statement: other, values: [1] }]
  const second = [{ statement: plain, values: [] }, insertOf(3), { statement: other, values: [2] }]
  const third = [insertOf(4), { statement: other, values: [3] }]
  assert.deepEqual(textsOf([first, second, third]), [
    'insert many: 0 2',
    'insert one: 0',
    'other many: 0 2',
    'select plain: 1',
    'insert one: 1',
    'other one: 1',
  ])
  assert.deepEqual(textsOf([first, third], false), ['insert one: 0', 'insert one: 0', 'other one: 0', 'insert one: 1', 'other one: 1'])
})

test('statements without a form for many rows, and those of one transaction alone, are sent as they are', () => {
  const steps = [{ statement: plain, values: [] }, insertOf(1)]
  assert.deepEqual(textsOf([steps]), ['select plain: 0', 'insert one: 0'])
  assert.deepEqual(textsOf([[{ statement: plain, values: [] }], [{ statement: plain, values: [] }]]), [
    'select plain: 0',
    'select plain: 1',
  ])
})

test('one statement for several transactions gets an array of each value, and each gets the rows of its key', () => {
  const [merged] = mergeSteps(
    [7, 5].map((id, at) => ({ place: at + 10, steps: [insertOf(id)] })),
    true,
  )
  assert.ok(merged !== undefined)
  assert.deepEqual(merged.step.values, [
    [7, 5],
    [Uint8Array.of(7), Uint8Array.of(5)],
  ])
  const rows = [{ id: 5, hash: Uint8Array.of(5) }]
  assert.deepEqual(merged.rowsOf(11, rows), rows)
  assert.deepEqual(merged.rowsOf(10, rows), [])
})
