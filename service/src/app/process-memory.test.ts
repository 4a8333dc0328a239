import assert from 'node:assert/strict'
import { totalmem } from 'node:os'
import { test } from 'node:test'

import { collectGarbage } from './collect-garbage.ts'
import { readHeldMemory, readMemoryLimit } from './process-memory.ts'

test('the limit is a number of bytes, at most what the machine has, also where no container sets one', () => {
  assert.ok(readMemoryLimit() > 0 && readMemoryLimit() <= totalmem())
})

test('held memory grows by what is allocated, and a collection gives it back to the system', () => {
  collectGarbage()
  const before = readHeldMemory()
  let lists: unknown[] | null = Array.from({ length: 200 }, () => Array.from({ length: 20_000 }, (_, n) => ({ n })))
  const held = readHeldMemory() - before
  assert.ok(held > bytesOf(100), `${held} bytes more with ${lists.length} lists`)
  lists = null
  collectGarbage()
  const left = readHeldMemory() - before
  assert.ok(left < held / 4, `${left} of ${held} bytes are still held`)
})

const bytesOf = (megabytes: number): number => megabytes * 1024 ** 2
