import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sortHistory } from './audit-order.ts'

const entry = (at: number, chain: string, seq: number, version = 0) => ({ at, chain, seq, version })

test('in the history of one object versions decide between chains, and an entry without one stays behind what was before it in its chain', () => {
  // The code was sent after version 3 was written, in the same chain.
  const sorted = [entry(1, 'a', 6), entry(1, 'a', 5, 3), entry(1, 'b', 9, 2), entry(1, 'a', 4, 1)]
  assert.deepEqual(sortHistory(sorted.toReversed()), sorted)
  assert.deepEqual(sortHistory([entry(1, 'a', 4, 9), entry(2, 'b', 1, 1)]), [entry(2, 'b', 1, 1), entry(1, 'a', 4, 9)])
})
