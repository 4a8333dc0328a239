import assert from 'node:assert/strict'
import { test } from 'node:test'

import { collectPages, mergeFirstPage, type ListPage } from './list-pages.ts'

const merge = (page: ListPage<number>, present: ListPage<number>) => mergeFirstPage(page, present, String)

test('new rows are put above the present ones, and the cursor of the present ones stays', () => {
  assert.deepEqual(merge({ rows: [5, 4, 3], next: 'n3' }, { rows: [4, 3, 2, 1], next: 'n1' }), { rows: [5, 4, 3, 2, 1], next: 'n1' })
})

test('a row that has moved up to the first page stays in one place', () => {
  assert.deepEqual(merge({ rows: [1, 5, 4], next: 'n4' }, { rows: [5, 4, 3, 2, 1], next: null }), { rows: [1, 5, 4, 3, 2], next: null })
})

test('a first page that does not reach the present rows replaces them: rows between the two are missing', () => {
  assert.deepEqual(merge({ rows: [9, 8], next: 'n8' }, { rows: [4, 3], next: 'n3' }), { rows: [9, 8], next: 'n8' })
})

test('a first page that is the whole list replaces the present rows, and an empty one that has a next one changes nothing', () => {
  assert.deepEqual(merge({ rows: [2], next: null }, { rows: [2, 1], next: null }), { rows: [2], next: null })
  const present = { rows: [2, 1], next: 'n1' }
  assert.equal(merge({ rows: [], next: 'later' }, present), present)
})

test('a list that would have more than 2000 rows starts over at its first page', () => {
  const rows = Array.from({ length: 1999 }, (_none, index) => 2000 - index)
  const page = { rows: [2001, 2000], next: 'n' }
  assert.equal(merge(page, { rows, next: null }), page)
  assert.equal(merge({ rows: [2000], next: 'n' }, { rows, next: null }).rows.length, 1999)
})

/** Pages of two rows: 1 and 2, 3 and 4, and so on to `last`. */
function pagesTo(last: number): (after: string | null) => Promise<ListPage<number>> {
  return async (after) => {
    const from = Number(after ?? 0)
    const rows = [from + 1, from + 2].filter((row) => row <= last)
    return { rows, next: from + 2 < last ? String(from + 2) : null }
  }
}

test('pages are collected to the end of the list, with the number of rows after each', async () => {
  const counts: number[] = []
  const { rows, isComplete } = await collectPages(pagesTo(5), 100, (count) => counts.push(count))
  assert.deepEqual([rows, isComplete, counts], [[1, 2, 3, 4, 5], true, [2, 4, 5]])
})

test('collecting stops at the maximum and says that there is more', async () => {
  const { rows, isComplete } = await collectPages(pagesTo(9), 4)
  assert.deepEqual([rows, isComplete], [[1, 2, 3, 4], false])
})
