import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'

import { drawnCodes } from './codes.ts'

test('a random code has six digits, with leading zeros', () => {
  const given = [0, 7, 42, 999_999]
  const codes = drawnCodes((bound) => {
    assert.equal(bound, 1_000_000)
    return given.shift() ?? 0
  })
  assert.deepEqual([codes.draw(), codes.draw(), codes.draw(), codes.draw()], ['000000', '000007', '000042', '999999'])
})

test('each digit is about equally frequent at each position of random codes', () => {
  const codes = drawnCodes((bound) => randomInt(bound))
  const draws = 20_000
  const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0))
  for (let i = 0; i < draws; i++) for (const [position, digit] of Array.from(codes.draw(), Number).entries()) counts[position]![digit]! += 1
  // Chi-squared with 9 degrees of freedom: above 45 once in a million.
  for (const position of counts) assert.ok(position.reduce((sum, count) => sum + (count - draws / 10) ** 2 / (draws / 10), 0) < 45)
})
