import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { KeyStatus } from '@tessera/vault/keyring'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { registerKeyGauges } from './key-gauges.ts'
import { makeMetrics } from './metrics.ts'

test('keys are counted by purpose and state, with the age of the oldest that still opens something', async () => {
  const clock = makeHandClock(1_000_000)
  const metrics = makeMetrics(clock)
  const key = (purpose: string, state: string, createdAt: number) => ({ purpose, state, createdAt }) as KeyStatus
  const keys = [
    key('card', 'active', 900_000),
    key('card', 'active', 400_000),
    key('card', 'decrypt_only', 100_000),
    key('otp', 'destroyed', 0),
  ]
  registerKeyGauges({ keyring: { list: () => keys }, clock, metrics })
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith('tessera_key'))
  metrics.close()
  assert.deepEqual(lines, [
    'tessera_keys{purpose="card",state="active"} 2',
    'tessera_keys{purpose="card",state="decrypt_only"} 1',
    'tessera_keys{purpose="otp",state="destroyed"} 1',
    'tessera_key_oldest_age_seconds{purpose="card",state="active"} 600',
    'tessera_key_oldest_age_seconds{purpose="card",state="decrypt_only"} 900',
  ])
})
