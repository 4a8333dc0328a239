import assert from 'node:assert/strict'
import { test } from 'node:test'

import { delaySeconds, stepMethod } from './sandbox-panel.ts'

test('only a step that delays the response has seconds', () => {
  assert.deepEqual(['late_5', 'late_120', 'late', 'lose_answer', 'none'].map(delaySeconds), [5, 120, null, null, null])
})

test('a step of a scenario is a method on the wire', () => {
  assert.deepEqual(['create', 'verify', 'pay'].map(stepMethod), ['cards.create', 'cards.verify', 'receipts.pay'])
})
