import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findSessionEnd, shouldKeepSession, type SessionLifetime } from './session-end.ts'

const minute = 60_000
const lifetime: SessionLifetime = { idleMs: 14 * minute, leftMs: 720 * minute, loadedAt: 0, lastCallAt: 0 }

test('a session is announced to end two minutes before, without a call or for good', () => {
  assert.equal(findSessionEnd(lifetime, 12 * minute - 1), null)
  assert.deepEqual(findSessionEnd(lifetime, 12 * minute), { kind: 'idle', inMs: 2 * minute })
  assert.deepEqual(findSessionEnd(lifetime, 20 * minute), { kind: 'idle', inMs: 0 })
  assert.equal(findSessionEnd({ ...lifetime, lastCallAt: 5 * minute }, 12 * minute), null)
  const old = { ...lifetime, lastCallAt: 718 * minute }
  assert.deepEqual(findSessionEnd(old, 719 * minute), { kind: 'final', inMs: minute })
})

test('somebody who types keeps the session before its end is announced; somebody who left does not', () => {
  assert.equal(shouldKeepSession(lifetime, 8 * minute, 8 * minute), false, 'there is time')
  assert.equal(shouldKeepSession(lifetime, 9.5 * minute, 10 * minute), true)
  assert.equal(shouldKeepSession(lifetime, 8 * minute, 10 * minute), false)
  assert.equal(shouldKeepSession(lifetime, 15 * minute, 15 * minute), false, 'it has ended')
})
