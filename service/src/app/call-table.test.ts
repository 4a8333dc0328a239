import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CallTable } from './call-table.ts'

test('finds, replaces and deletes as a map does, whatever comes and goes', () => {
  let state = 7
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  const table = new CallTable<number>()
  const map = new Map<string, number>()
  const ids = Array.from({ length: 3000 }, (_, n) => `6b0b7cac${n.toString(16).padStart(16, '0')}`)
  for (let step = 0; step < 60_000; step++) {
    const id = ids[Math.floor(random() * ids.length)] ?? ''
    if (random() < (step < 30_000 ? 0.6 : 0.4)) {
      table.set(id, step)
      map.set(id, step)
    } else {
      table.delete(id)
      map.delete(id)
    }
    if (step % 500 !== 0) continue
    assert.equal(table.size, map.size)
    for (const each of ids) assert.equal(table.get(each), map.get(each), each)
  }
  assert.ok(map.size > 256, 'the table has grown')
})

test('ids of the same end, and short ones, do not hide each other', () => {
  const table = new CallTable<string>()
  const ids = ['', 'a', 'aa', ...Array.from({ length: 40 }, (_, n) => `${String(n)} the same end of an id`)]
  for (const id of ids) table.set(id, `of ${id}`)
  for (const id of ids.filter((_, at) => at % 3 === 0)) table.delete(id)
  for (const [at, id] of ids.entries()) assert.equal(table.get(id), at % 3 === 0 ? undefined : `of ${id}`)
})
