import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'

import { collectGarbage } from './collect-garbage.ts'

test('a collection makes the young generation small again, which a start has made large', () => {
  const lists: unknown[] = []
  while (youngBytes() < 4 * 1024 ** 2 && lists.length < 10_000) lists.push(Array.from({ length: 1000 }, (_, n) => ({ n })))
  const before = youngBytes()
  assert.ok(before >= 4 * 1024 ** 2, `${String(before)} bytes with ${String(lists.length)} lists`)
  collectGarbage()
  const after = youngBytes()
  assert.ok(after <= before / 2, `${String(after)} of ${String(before)} bytes are left`)
})

test('threads that collect for the first time at once do not take the function from each other', async () => {
  const module = new URL('collect-garbage.ts', import.meta.url).href
  const program = `import(${JSON.stringify(module)}).then(({ collectGarbage }) => collectGarbage())`
  const exits = Array.from({ length: 8 }, () => {
    const worker = new Worker(program, { eval: true })
    return new Promise<number>((resolve, reject) => worker.once('exit', resolve).once('error', reject))
  })
  assert.deepEqual(new Set(await Promise.all(exits)), new Set([0]))
  assert.equal((globalThis as { gc?: unknown }).gc, undefined)
})

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.physical_space_size ?? 0
}
