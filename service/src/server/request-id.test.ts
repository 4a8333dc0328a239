import assert from 'node:assert/strict'
import { test } from 'node:test'

import { randomPublic } from '@tessera/vault/random'

import { makeRequestIds } from './request-id.ts'

test('request ids are 24 hex digits, unique, and never hold enough digits for a card number', () => {
  const issue = makeRequestIds(randomPublic)
  const ids = Array.from({ length: 1000 }, issue)
  assert.equal(new Set(ids).size, 1000)
  for (const id of ids) assert.match(id, /^[0-9a-f]{11}e[0-9a-f]{5}e[0-9a-f]{6}$/)
  assert.equal(makeRequestIds((count) => new Uint8Array(count).fill(0x99))(), '99999999999e99999e999999')
})

test('a request id does not reveal how many requests came before it', () => {
  const issue = makeRequestIds(randomPublic)
  const ids = Array.from({ length: 200 }, issue)
  // Ids that count would share their beginning, and come in order.
  assert.ok(new Set(ids.map((id) => id.slice(0, 4))).size > 150)
  assert.notDeepEqual(ids, ids.toSorted())
})
