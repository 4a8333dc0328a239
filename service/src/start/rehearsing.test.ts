import assert from 'node:assert/strict'
import { test } from 'node:test'

import { noFailureBreaker } from '../limits/failures.ts'
import { noFineLimits } from '../limits/fine.ts'
import { noSmsGuard } from '../limits/sms-guard.ts'
import { makeRehearsedLimits, rehearsingMax, type LimitSet } from './rehearsing.ts'
import { makeCoarseLimits, noLimits } from '../rpc/limits.ts'
import { noThrottle } from '../rpc/password-throttle.ts'

const none: LimitSet = {
  ...{ coarse: noLimits, passwords: noThrottle, fine: noFineLimits, failures: noFailureBreaker, sms: noSmsGuard },
}

function setUp() {
  const one = [{ count: 1, ms: 60_000 }]
  const figures = { create: { address: one, block: [], merchant: [] }, verify: null, read: null, write: null, none: null }
  return makeRehearsedLimits(() => ({ ...none, coarse: makeCoarseLimits({ now: () => 0, figures }) }), none)
}

test('who rehearses limits meets them, in a count of its own, and nobody else does', () => {
  const { limits, rehearsal } = setUp()
  const create = (merchantId: string, as: 'server' | 'dashboard' = 'server'): string => {
    try {
      limits.coarse.take({ class: 'create', address: '192.0.2.1', merchantId, as, limits: null })
      return 'ok'
    } catch (err) {
      return String(Reflect.get(Object(err), 'entry'))
    }
  }
  assert.deepEqual([create('a'), create('a')], ['ok', 'ok'])
  assert.ok(rehearsal.begin('a', 1))
  assert.ok(rehearsal.begin('b', 1))
  assert.deepEqual([create('a'), create('a'), create('b'), create('c'), create('c')], ['ok', 'addressLimit', 'ok', 'ok', 'ok'])
  assert.equal(create('a', 'dashboard'), 'ok')
  assert.ok(rehearsal.begin('a', 2))
  assert.deepEqual([create('a'), create('a'), create('b')], ['ok', 'addressLimit', 'addressLimit'])
  rehearsal.end('a')
  assert.deepEqual([create('a'), rehearsal.sinceOf('a'), rehearsal.sinceOf('b')], ['ok', null, 1])
})

test('only so many rehearse limits at once', () => {
  const { rehearsal } = setUp()
  for (let at = 0; at < rehearsingMax; at++) assert.ok(rehearsal.begin(String(at), 1))
  assert.equal(rehearsal.begin('one more', 1), false)
  assert.equal(rehearsal.begin('0', 2), true)
})
