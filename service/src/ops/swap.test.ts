import assert from 'node:assert/strict'
import { test } from 'node:test'

import { describeSwap } from './swap.ts'

const head = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n'

test('swap that is in use is named with what keeps the service out of it', () => {
  assert.equal(describeSwap(head), 'none in use')
  assert.equal(describeSwap(''), 'none in use')
  const found = describeSwap(`${head}/dev/dm-1                               partition\t8388604\t0\t-2\n/swapfile file 1 0 -3\n`)
  assert.match(found, /^WARNING: \/dev\/dm-1, \/swapfile in use.*MemorySwapMax=0/)
})
