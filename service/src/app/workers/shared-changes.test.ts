import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeAdjustableClock } from '../../adapters/sandbox/adjustable-clock.ts'
import type { ClockGuard } from '../../domain/clock-guard.ts'
import { StoreDamaged } from '../../store/store.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { createTestApp, noMetrics, type TestApp } from '../../testing/test-app.fixture.ts'
import type { Adapters } from '../adapters.ts'
import { makeDamageAlarm } from '../damage-alarm.ts'

import { makeServiceChanges, type ServiceChange, type ServiceChanges } from './service-changes.ts'
import { applyServiceChange, shareClockGuard, shareDamageAlarm, shareSandboxTime } from './shared-changes.ts'

const log = { error: (event: string) => assert.fail(event) }
const silent = { error: () => undefined }

/** What two workers have, and what each of them says to the other. */
function makeWorker(app: TestApp, send: (change: ServiceChange) => void) {
  const changes = makeServiceChanges(send)
  const clock = makeHandClock()
  const adapters = { time: makeAdjustableClock } as unknown as Adapters
  const time = shareSandboxTime(adapters, changes)
  const moved = time.adapters.time(clock)
  const confirmed: (number | null)[] = []
  const guard = { confirm: (_reading: unknown, at: number | null) => Promise.resolve(void confirmed.push(at)) } as unknown as ClockGuard
  const damage = shareDamageAlarm(makeDamageAlarm(silent, noMetrics, clock), changes)
  const services = { merchants: app.merchants, keyring: app.keyring, limits: app.limits }
  const counts = { receive: () => undefined }
  changes.applyWith((change) => applyServiceChange(change, { services, mover: time.mover, clockGuard: guard, counts, damage, log }))
  return { changes, clock, moved, confirmed, damage, clockGuard: shareClockGuard(guard, changes) }
}

type TestWorker = ReturnType<typeof makeWorker>

async function twoWorkers(t: Parameters<typeof createTestApp>[0]): Promise<{ one: TestWorker; other: TestWorker; sent: ServiceChange[] }> {
  const app = await createTestApp(t)
  const sent: ServiceChange[] = []
  const receivers: { receive(change: ServiceChange): void }[] = []
  const sendTo = (at: number) => (change: ServiceChange) => {
    sent.push(change)
    receivers[at]?.receive(structuredClone(change))
  }
  const [one, other] = [makeWorker(app, sendTo(1)), makeWorker(app, sendTo(0))]
  receivers.push(one.changes, other.changes)
  return { one, other, sent }
}

test('the time of the sandbox that one worker moves is that of the other, and nobody answers back', async (t) => {
  const { one, other, sent } = await twoWorkers(t)
  one.moved.mover?.moveTo(3_600_000)
  assert.equal(other.moved.clock.now(), other.clock.now() + 3_600_000)
  other.moved.mover?.moveTo(0)
  assert.equal(one.moved.mover?.offsetMs(), 0)
  assert.equal(sent.length, 2)
})

test('damage that one worker meets raises the alarm in both, and a whole check by the other ends it', async (t) => {
  const { one, other, sent } = await twoWorkers(t)
  one.damage.raise(new StoreDamaged('invalid page in block 7', ''))
  one.damage.raise(new StoreDamaged('invalid page in block 8', ''))
  assert.deepEqual([one.damage.damage(), other.damage.damage()], ['invalid page in block 7', 'invalid page in block 7'])
  assert.equal(sent.length, 1)
  other.damage.checked({ method: 'amcheck', hasFoundDamage: false, isSound: true })
  assert.deepEqual([one.damage.damage(), other.damage.damage()], [null, null])
})

test('a clock that an operator confirms is confirmed in every worker', async (t) => {
  const { one, other } = await twoWorkers(t)
  await one.clockGuard.confirm(one.clock.moment(), 17)
  assert.deepEqual([one.confirmed, other.confirmed], [[17], [17]])
})

test('a merchant that simulates the limits does so at every worker', async (t) => {
  const app = await createTestApp(t)
  const { changes } = makeWorker(app, () => undefined)
  const merchantId = 'ab'.repeat(12)
  changes.receive({ kind: 'limit_simulation', merchantId, since: 5 })
  assert.equal(app.limits.simulation?.sinceOf(merchantId), 5)
  changes.receive({ kind: 'limit_simulation', merchantId, since: null })
  assert.equal(app.limits.simulation.sinceOf(merchantId), null)
})

test('what is changed because another worker said so is not published', () => {
  const sent: ServiceChange[] = []
  const changes: ServiceChanges & { receive(change: ServiceChange): void } = makeServiceChanges((change) => sent.push(change))
  changes.applyWith(() => changes.publish({ kind: 'keys' }))
  changes.receive({ kind: 'keys' })
  assert.deepEqual(sent, [])
  changes.publish({ kind: 'keys' })
  assert.deepEqual(sent, [{ kind: 'keys' }])
})

test('what comes while a worker is being made is applied when it is, in its order', () => {
  const sent: ServiceChange[] = []
  const applied: ServiceChange[] = []
  const changes = makeServiceChanges((change) => sent.push(change))
  for (const offsetMs of [1, 2]) changes.receive({ kind: 'sandbox_clock', offsetMs })
  changes.applyWith((change) => {
    applied.push(change)
    changes.publish(change)
  })
  changes.receive({ kind: 'sandbox_clock', offsetMs: 3 })
  assert.deepEqual(
    applied.map((change) => change.kind === 'sandbox_clock' && change.offsetMs),
    [1, 2, 3],
  )
  assert.deepEqual(sent, [])
})
