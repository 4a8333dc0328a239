import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pool } from './pool.ts'

/** Works on items that all wait for each other's turn, and records the largest number at a time. */
async function measureWidth(count: number, maxWidth: number, whenFree?: Promise<unknown>): Promise<{ results: number[]; width: number }> {
  let [running, width] = [0, 0]
  const items = Array.from({ length: count }, (_, index) => index)
  const results = await pool(items, { maxWidth, ...(whenFree === undefined ? {} : { whenFree }) }, async (item) => {
    width = Math.max(width, ++running)
    await new Promise(setImmediate)
    running--
    return item
  })
  return { results, width }
}

test('a pool works on several items at a time, never on more, and returns results in order', async () => {
  assert.deepEqual(await measureWidth(7, 3), { results: [0, 1, 2, 3, 4, 5, 6], width: 3 })
  assert.deepEqual(await measureWidth(2, 5), { results: [0, 1], width: 2 })
  assert.deepEqual(await measureWidth(0, 2), { results: [], width: 0 })
})

test('a pool works on one item at a time until the processors are free', async () => {
  assert.equal((await measureWidth(5, 3, new Promise((resolve) => setTimeout(resolve, 500)))).width, 1)
})

test('a pool works on more items while processors are idle, on no more than it may, and never on one twice', async () => {
  const look = async (isIdle: () => boolean): Promise<{ width: number; done: number[] }> => {
    let [running, width] = [0, 0]
    const done: number[] = []
    const extra = { maxItems: 2, isIdle, intervalMs: 5 }
    await pool([0, 1, 2, 3, 4, 5, 6, 7], { maxWidth: 1, extra }, async (item) => {
      width = Math.max(width, ++running)
      await new Promise((resolve) => setTimeout(resolve, 100))
      running--
      done.push(item)
    })
    return { width, done: done.toSorted((one, other) => one - other) }
  }
  const all = [0, 1, 2, 3, 4, 5, 6, 7]
  assert.deepEqual(await look(() => true), { width: 3, done: all })
  assert.deepEqual(await look(() => false), { width: 1, done: all })
})

test('an error of an item that was begun because a processor was idle ends the pool', async () => {
  const extra = { maxItems: 1, isIdle: () => true, intervalMs: 1 }
  const work = async (item: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (item === 1) throw new Error('the second')
  }
  await assert.rejects(pool([0, 1, 2], { maxWidth: 1, extra }, work), /the second/)
})
