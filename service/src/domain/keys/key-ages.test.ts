import assert from 'node:assert/strict'
import { test } from 'node:test'

import { dueAt } from '@tessera/vault/epoch'
import type { KeyStatus } from '@tessera/vault/keyring'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeKeyAgeAlerts } from './key-ages.ts'

const day = 86_400_000
const hour = 3_600_000

test('a key that was not replaced in time is logged before it is due, again after a while, and no other is', () => {
  const clock = makeHandClock()
  const start = clock.now()
  const key = (keyId: string, purpose: string, state = 'active') => ({ keyId, purpose, state, createdAt: start }) as KeyStatus
  const keys = [key('a', 'otp'), key('b', 'card'), key('c', 'row_mac'), key('d', 'otp', 'decrypt_only')]
  const logged: unknown[] = []
  const alerts = makeKeyAgeAlerts({
    keyring: { list: () => keys, wrappingKekId: () => 'kek' },
    kekSince: () => start,
    clock,
    log: { warn: (event, fields) => logged.push([event, fields['keyId'] ?? fields['kek'], Math.round(Number(fields['seconds']) / 60)]) },
    settings: { kekAgeMaxMs: 10 * day, kekNoticeMs: 2 * day },
  })
  alerts.run()
  clock.advance(day - hour)
  alerts.run()
  assert.deepEqual(logged, [], 'an hour before, the background job has not tried yet')
  clock.advance(hour / 2)
  alerts.run()
  alerts.run()
  assert.deepEqual(logged.splice(0), [['key_due', 'a', 30]])
  clock.advance(hour / 4)
  alerts.run()
  assert.deepEqual(logged.splice(0), [['key_due', 'a', 15]])
  keys.shift()
  clock.advance(7 * day + hour)
  alerts.run()
  clock.advance(hour)
  alerts.run()
  assert.deepEqual(logged.splice(0), [['kek_due', 'kek', Math.round((2 * day - 45 * 60_000) / 60_000)]])
  clock.advance(3 * day)
  alerts.run()
  assert.deepEqual(logged, [['kek_due', 'kek', Math.round((-1 * day - hour - 45 * 60_000) / 60_000)]])
})

test('keys that are out of use or never expire are never due', () => {
  assert.equal(dueAt({ purpose: 'row_mac', state: 'active', createdAt: 0 }), null)
  assert.equal(dueAt({ purpose: 'card', state: 'decrypt_only', createdAt: 0 }), null)
  assert.equal(dueAt({ purpose: 'card', state: 'active', createdAt: 0 }), 90 * day)
})
