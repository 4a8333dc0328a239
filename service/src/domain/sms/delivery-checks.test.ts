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
  const state = { stored: [] as UndecidedSms[], isStoreAway, isUnavailable: false, isBroken: false, concurrent: 0, mostConcurrent: 0 }
  const states = new Map<string, SmsDeliveryState>()
  const calls: string[] = []
  const reports: SmsDeliveryReport[] = []
  const pauses: number[] = []
  const errors: unknown[] = []
  const findDelivery = async (id: string): Promise<SmsDeliveryState> => {
    calls.push(`${id} ${String((clock.now() - startedAt) / 1000)}`)
    state.mostConcurrent = Math.max(state.mostConcurrent, ++state.concurrent)
    await new Promise((resolve) => setImmediate(resolve))
    state.concurrent--
    if (state.isBroken) throw new Error('broken')
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
    onUnavailable(_gateway, pauseMs, err) {
      pauses.push(pauseMs)
      errors.push(err)
    },
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
  return { clock, state, states, calls, reports, pauses, errors, checks, accept, passSeconds }
}

test('a message is looked up after 10 s, then after twice as long each time, until the outcome is final', async () => {
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

test('a message without an outcome is looked up fourteen times in a day, and then no more', async () => {
  const { clock, calls, checks, accept } = start()
  accept('a')
  for (let second = 0; second < 1.1 * 86_400; second += second < 2000 ? 10 : 60) {
    clock.advance(second < 2000 ? 10_000 : 60_000)
    await checks.runOnce(never)
  }
  assert.deepEqual([checks.waiting(), calls.length], [0, 14], calls.join(', '))
})

test('messages of a process that ended are looked up, and no longer one whose outcome another process stored', async () => {
  const { clock, state, calls, checks, passSeconds } = start()
  state.stored = [
    { gatewayMessageId: 'old', requestedAt: clock.now() - 2 * day },
    { gatewayMessageId: 'hour', requestedAt: clock.now() - 3_600_000 },
  ]
  await checks.runOnce(never)
  assert.equal(checks.waiting(), 1)
  await passSeconds(1600)
  assert.deepEqual(calls, ['hour 1520'], '5,120 s after it was sent')
  state.stored = []
  clock.advance(3_600_000)
  await checks.runOnce(never)
  assert.equal(checks.waiting(), 0)
})

test('a gateway without a usable reply gets no request for half a minute, then for twice as long', async () => {
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

test('an outcome that cannot be stored is stored later, also during a pause, without another request', async () => {
  const { clock, state, states, calls, reports, checks, accept } = start({ isStoreAway: true })
  accept('a', 'b')
  for (const id of ['a', 'b']) states.set(id, { outcome: 'delivered' })
  clock.advance(10_000)
  for (let second = 0; second < 3; second++) await assert.rejects(checks.runOnce(never), /away/)
  accept('c')
  state.isUnavailable = true
  clock.advance(10_000)
  await assert.rejects(checks.runOnce(never), /away/)
  assert.deepEqual([calls, state.concurrent], [['a 10', 'b 10', 'c 20'], 0])
  state.isStoreAway = false
  await checks.runOnce(never)
  assert.deepEqual([reports.map(({ gatewayMessageId }) => gatewayMessageId), checks.waiting(), calls.length], [['a', 'b'], 1, 3])
})

test('an adapter that throws causes a pause, and its error is reported', async () => {
  const { state, calls, pauses, errors, checks, accept, passSeconds } = start()
  accept('a')
  state.isBroken = true
  await passSeconds(39)
  assert.deepEqual([calls, pauses, errors.map(String)], [['a 10'], [30_000], ['Error: broken']])
  state.isBroken = false
  await passSeconds(1)
  assert.deepEqual([calls.length, checks.waiting()], [2, 1])
})

test('a pause is also made after the clock was set back by hours', async () => {
  const { clock, state, pauses, accept, passSeconds } = start()
  accept('a')
  state.isUnavailable = true
  await passSeconds(10)
  clock.jump(-6 * 3_600_000)
  accept('b')
  await passSeconds(10)
  assert.deepEqual(pauses, [30_000, 60_000])
})
