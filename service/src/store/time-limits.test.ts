import assert from 'node:assert/strict'
import { test } from 'node:test'

import { StoreUnavailable } from './store.ts'
import { timeLeft } from './time-limits.ts'

test('a statement is not sent when too little time is left for its reply', () => {
  assert.ok(timeLeft(performance.now() + 60_000) > 1000)
  assert.throws(() => timeLeft(performance.now() + 20), StoreUnavailable)
  assert.throws(() => timeLeft(performance.now() - 1), StoreUnavailable)
})
