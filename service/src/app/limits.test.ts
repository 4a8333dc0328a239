import assert from 'node:assert/strict'
import { test } from 'node:test'

import { noFailureBreaker } from '../domain/limits/failure-breaker.ts'
import { noFineLimits } from '../domain/limits/fine-limits.ts'
import { noSmsGuard } from '../domain/limits/sms-guard.ts'
import { createSimulatedLimits, maxSimulations, type LimitSet } from './limits.ts'
import { makeCoarseLimits, noCoarseLimits } from '../server/rate-limits/coarse-limits.ts'
import { noPasswordThrottle } from '../server/auth/password-throttle.ts'

const none: LimitSet = {
  coarse: noCoarseLimits,
  passwords: noPasswordThrottle,
  fine: noFineLimits,
  failures: noFailureBreaker,
  sms: noSmsGuard,
}

function setUp() {
  const one = [{ count: 1, ms: 60_000 }]
  const settings = { create: { address: one, block: [], merchant: [] }, verify: null, read: null, write: null, discover: null, none: null }
  return createSimulatedLimits(() => ({ ...none, coarse: makeCoarseLimits({ now: () => 0, settings }) }), none)
}

test('a merchant that simulates limits is limited, by counts of its own, and no other merchant is', () => {
  const { limits, simulation } = setUp()
  const create = (merchantId: string, callerKind: 'server' | 'dashboard' = 'server'): string => {
    try {
      limits.coarse.check({ class: 'create', address: '192.0.2.1', merchantId, callerKind, limits: null })
      return 'ok'
    } catch (err) {
      return String(Reflect.get(Object(err), 'entry'))
    }
  }
  assert.deepEqual([create('a'), create('a')], ['ok', 'ok'])
  assert.ok(simulation.begin('a', 1))
  assert.ok(simulation.begin('b', 1))
  assert.deepEqual([create('a'), create('a'), create('b'), create('c'), create('c')], ['ok', 'addressLimit', 'ok', 'ok', 'ok'])
  assert.equal(create('a', 'dashboard'), 'ok')
  assert.ok(simulation.begin('a', 2))
  assert.deepEqual([create('a'), create('a'), create('b')], ['ok', 'addressLimit', 'addressLimit'])
  simulation.end('a')
  assert.deepEqual([create('a'), simulation.sinceOf('a'), simulation.sinceOf('b')], ['ok', null, 1])
})

test('the number of merchants that simulate limits is bounded', () => {
  const { simulation } = setUp()
  for (let at = 0; at < maxSimulations; at++) assert.ok(simulation.begin(String(at), 1))
  assert.equal(simulation.begin('one more', 1), false)
  assert.equal(simulation.begin('0', 2), true)
})
