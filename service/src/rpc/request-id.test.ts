import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeRequestIds } from './request-id.ts'

test('request ids are 24 hex digits, each another, and hold no digits enough for a card number', () => {
  const issue = makeRequestIds(Uint8Array.of(0x12, 0x34, 0x56, 0x78, 0x90, 0x12))
  const ids = Array.from({ length: 1000 }, issue)
  assert.equal(new Set(ids).size, 1000)
  for (const id of ids) assert.match(id, /^[0-9a-f]{11}e[0-9a-f]{5}e[0-9a-f]{6}$/)
  assert.equal(ids[0], '12345678901e00000e000001')
})
