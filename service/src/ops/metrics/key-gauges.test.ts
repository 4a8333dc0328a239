import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { KeyStatus } from '@tessera/vault/keyring'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { registerKeyGauges } from './key-gauges.ts'
import { makeMetrics } from './metrics.ts'

test('keys are counted by purpose and state, with their ages, when they are due, and how many another KEK wraps', async () => {
  const clock = makeHandClock(1_000_000)
  const metrics = makeMetrics(clock)
  const key = (purpose: string, state: string, createdAt: number, kekId = 'b') => ({ purpose, state, createdAt, kekId }) as KeyStatus
  const keys = [
    key('card', 'active', 900_000),
    key('card', 'active', 400_000),
    key('card', 'decrypt_only', 100_000, 'a'),
    key('otp', 'destroyed', 0, 'a'),
  ]
  const keyring = { list: () => keys, wrappingKekId: () => 'b' }
  registerKeyGauges({ keyring, kekSince: () => 400_000, kekAgeMaxMs: 500_000, clock, metrics })
  const lines = (await metrics.render()).split('\n').filter((line) => /^tessera_ke[yk]/.test(line))
  metrics.close()
  assert.deepEqual(lines, [
    'tessera_keys{purpose="card",state="active"} 2',
    'tessera_keys{purpose="card",state="decrypt_only"} 1',
    'tessera_keys{purpose="otp",state="destroyed"} 1',
    'tessera_key_oldest_age_seconds{purpose="card",state="active"} 600',
    'tessera_key_oldest_age_seconds{purpose="card",state="decrypt_only"} 900',
    `tessera_key_due_seconds{purpose="card"} ${90 * 86_400 - 600}`,
    'tessera_keys_under_other_kek 1',
    'tessera_kek_age_seconds 600',
    'tessera_kek_due_seconds -100',
  ])
})
