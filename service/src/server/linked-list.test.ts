import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LinkedList, type LinkedListNode } from './linked-list.ts'

interface NumberedEntry extends LinkedListNode<NumberedEntry> {
  readonly number: number
}

test('a list has what was added and not removed, in this order and back, whatever is removed when', () => {
  const list = new LinkedList<NumberedEntry>()
  let expected: NumberedEntry[] = []
  let next = 0
  // Every way to remove two of up to four: the oldest, the newest, those between, and the last one.
  for (let count = 1; count <= 4; count++)
    for (let first = 0; first < count; first++)
      for (let second = 0; second < count; second++) {
        for (let n = 0; n < count; n++) {
          const node: NumberedEntry = { number: next++, older: null, newer: null }
          list.add(node)
          expected.push(node)
        }
        for (const at of [first, second]) {
          const removed = expected[at]
          if (removed === undefined) continue
          list.remove(removed)
          expected = expected.filter((node) => node !== removed)
          assert.deepEqual([removed.older, removed.newer], [null, null])
          assert.deepEqual(
            numbersOf(list, 'oldest', 'newer'),
            expected.map(({ number }) => number),
          )
          assert.deepEqual(numbersOf(list, 'newest', 'older'), expected.map(({ number }) => number).toReversed())
        }
        for (const node of expected) list.remove(node)
        expected = []
        assert.deepEqual([list.oldest, list.newest], [null, null])
      }
})

function numbersOf(list: LinkedList<NumberedEntry>, end: 'oldest' | 'newest', next: 'older' | 'newer'): number[] {
  const numbers: number[] = []
  for (let node = list[end]; node !== null; node = node[next]) numbers.push(node.number)
  return numbers
}
