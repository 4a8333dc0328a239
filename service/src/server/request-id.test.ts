import assert from 'node:assert/strict'
import { test } from 'node:test'

import { randomPublic } from '@tessera/vault/random'

import { timeInRequestId } from '../ops/request-log/request-id-time.ts'

import { makeRequestIds } from './request-id.ts'

const second = 1_764_000_000

test('request ids are 24 hex digits, unique, and never hold enough digits for a card number', () => {
  const issue = makeRequestIds(randomPublic, () => second * 1000)
  const ids = Array.from({ length: 1000 }, issue)
  assert.equal(new Set(ids).size, 1000)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}e[0-9a-f]{7}e[0-9a-f]{7}$/)
  const nines = makeRequestIds(
    (count) => new Uint8Array(count).fill(0x99),
    () => 0x99999999 * 1000,
  )
  assert.equal(nines(), '99999999e9999999e9999999')
})

test('a request id has the second in which it was issued', () => {
  let now = second * 1000 + 999
  const issue = makeRequestIds(randomPublic, () => now)
  assert.equal(timeInRequestId(issue()), second * 1000)
  now++
  assert.equal(timeInRequestId(issue()), (second + 1) * 1000)
  for (const id of ['', 'a'.repeat(24), 'feedfeed00000001feedfeed']) assert.equal(timeInRequestId(id), null)
})

test('a request id does not reveal how many requests came before it', () => {
  const issue = makeRequestIds(randomPublic, () => second * 1000)
  const ids = Array.from({ length: 200 }, issue)
  // Ids that count would share the digits behind the time, and come in order.
  assert.ok(new Set(ids.map((id) => id.slice(9, 12))).size > 150)
  assert.notDeepEqual(ids, ids.toSorted())
})
