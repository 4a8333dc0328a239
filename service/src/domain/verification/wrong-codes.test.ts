import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeWrongCodes } from './wrong-codes.ts'

const now = 1_800_000_000_000
const hourMs = 3_600_000

test('so many wrong codes in an hour stop the evaluation until the oldest no longer count', () => {
  const codes = makeWrongCodes()
  codes.record(now)
  assert.equal(codes.waitMs(now, 2), 0)
  codes.record(now)
  const waitMs = codes.waitMs(now, 2)
  assert.ok(waitMs > hourMs && waitMs <= hourMs + 300_000, String(waitMs))
  assert.equal(codes.waitMs(now + waitMs, 2), 0)
})

test('wrong codes of a clock that was ahead count by that time only', () => {
  const codes = makeWrongCodes()
  codes.record(now + 240 * hourMs)
  assert.equal(codes.waitMs(now, 1), 0)
  assert.ok(codes.waitMs(now + 240 * hourMs, 1) > 0)
})
