import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { SmsDeliveryReport, SmsDeliveryState } from '../../adapters/sms/sms.ts'
import { listUndecidedSms, type UndecidedSms } from '../../store/sms-sends.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { replaceRead, storeOf } from '../../testing/store.fixture.ts'

import { makeDeliveryChecks } from './delivery-checks.ts'

const never = new AbortController().signal
const day = 86_400_000

/** A gateway that says `pending` of every message whose state is not set. */
function start({ isStoreAway = false } = {}) {
  const clock = makeHandClock()
  const startedAt = clock.now()
  const state = { stored: [] as UndecidedSms[], isStoreAway, isUnavailable: false, concurrent: 0, mostConcurrent: 0 }
  const states = new Map<string, SmsDeliveryState>()
  const calls: string[] = []
  const reports: SmsDeliveryReport[] = []
  const pauses: number[] = []
  const findDelivery = async (id: string): Promise<SmsDeliveryState> => {
    calls.push(`${id} ${String((clock.now() - startedAt) / 1000)}`)
    state.mostConcurrent = Math.max(state.mostConcurrent, ++state.concurrent)
    await new Promise((resolve) => setImmediate(resolve))
    state.concurrent--
    return state.isUnavailable ? { outcome: 'unavailable' } : (states.get(id) ?? { outcome: 'pending' })
  }
  const checks = makeDeliveryChecks({
    gateways: [
      { name: 'http', port: { findDelivery } },
      { name: 'smpp', port: {} },
    ],
    record: async (gateway, report) => {
      assert.equal(gateway, 'http')
      if (state.isStoreAway) throw new Error('away')
      reports.push(report)
      state.stored = state.stored.filter(({ gatewayMessageId }) => gatewayMessageId !== report.gatewayMessageId)
    },
    store: storeOf(replaceRead(listUndecidedSms('', 0), async () => state.stored)),
    clock,
    onUnavailable: (_gateway, pauseMs) => void pauses.push(pauseMs),
  })
  const accept = (...ids: readonly string[]): void => {
    for (const gatewayMessageId of ids) {
      state.stored = [{ gatewayMessageId, requestedAt: clock.now() }, ...state.stored]
      checks.messageStored('http', gatewayMessageId)
    }
  }
  const passSeconds = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000)
      await checks.runOnce(never)
    }
  }
  return { clock, state, states, calls, reports, pauses, checks, accept, passSeconds }
}

test('a message is asked for after 10 s, then after twice as long each time, until the outcome is final', async () => {
  const { states, calls, reports, checks, accept, passSeconds } = start()
  accept('a')
  checks.messageStored('smpp', 'b')
  await passSeconds(100)
  assert.deepEqual(calls, ['a 10', 'a 20', 'a 40', 'a 80'])
  states.set('a', { outcome: 'failed', error: 'EXPIRED' })
  await passSeconds(100)
  assert.deepEqual(calls.slice(4), ['a 160'])
  assert.deepEqual([reports, checks.waiting()], [[{ gatewayMessageId: 'a', outcome: 'failed', error: 'EXPIRED' }], 0])
})

test('a message without an outcome is asked for fourteen times in a day, and then no more', async () => {
  const { clock, calls, checks, accept } = start()
  accept('a')
  for (let second = 0; second < 1.1 * 86_400; second += second < 2000 ? 10 : 60) {
    clock.advance(second < 2000 ? 10_000 : 60_000)
    await checks.runOnce(never)
  }
  assert.deepEqual([checks.waiting(), calls.length], [0, 14], calls.join(', '))
})

test('messages of a process that ended are asked for, and no longer one whose outcome another process stored', async () => {
  const { clock, state, calls, checks, passSeconds } = start()
  state.stored = [
    { gatewayMessageId: 'old', requestedAt: clock.now() - 2 * day },
    { gatewayMessageId: 'hour', requestedAt: clock.now() - 3_600_000 },
  ]
  await checks.runOnce(never)
  assert.equal(checks.waiting(), 1)
  await passSeconds(1600)
  assert.deepEqual(calls, ['hour 1520'], 'asked for 5,120 s after it was sent')
  state.stored = []
  clock.advance(3_600_000)
  await checks.runOnce(never)
  assert.equal(checks.waiting(), 0)
})

test('a gateway without a usable reply is left alone for half a minute, then for twice as long, and asked again', async () => {
  const { state, states, calls, pauses, reports, accept, passSeconds } = start()
  accept(...Array.from({ length: 9 }, (_, number) => `m${String(number)}`))
  state.isUnavailable = true
  await passSeconds(10)
  assert.equal(calls.length, 4, 'those under way at that moment')
  await passSeconds(29)
  assert.equal(calls.length, 4)
  await passSeconds(31)
  assert.deepEqual([pauses, calls.length], [[30_000, 60_000], 8])
  state.isUnavailable = false
  states.set('m8', { outcome: 'delivered' })
  await passSeconds(60)
  assert.deepEqual(reports, [{ gatewayMessageId: 'm8', outcome: 'delivered' }])
})

test('at most four requests are under way, and forty are made in a run', async () => {
  const { clock, state, calls, checks, accept } = start()
  accept(...Array.from({ length: 100 }, (_, number) => `m${String(number)}`))
  clock.advance(10_000)
  await checks.runOnce(never)
  assert.deepEqual([calls.length, state.mostConcurrent], [40, 4])
})

test('an outcome that cannot be stored is asked for again', async () => {
  const { clock, state, states, reports, checks, accept } = start({ isStoreAway: true })
  accept('a')
  states.set('a', { outcome: 'delivered' })
  clock.advance(10_000)
  await assert.rejects(checks.runOnce(never), /away/)
  state.isStoreAway = false
  await checks.runOnce(never)
  assert.deepEqual([reports.length, checks.waiting()], [1, 0])
})
