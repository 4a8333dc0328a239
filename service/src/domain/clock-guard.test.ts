import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock, type HandClock } from '../testing/clock.fixture.ts'

import { type ClockRefusal, openClockGuard } from './clock-guard.ts'

const second = 1000
const day = 86_400 * second

/** A service's record, and its starts on a clock. */
function createMachine(clock: HandClock = makeHandClock()) {
  let stored: Uint8Array | null = null
  const refused: ClockRefusal[] = []
  const record = {
    read: () => Promise.resolve(stored),
    save: (value: Uint8Array) => {
      stored = value
      return Promise.resolve()
    },
  }
  const settings = { maxJumpMs: day, maxBehindMs: 5 * second }
  const start = () => openClockGuard({ clock, settings, record, onRefused: (refusal) => refused.push(refusal) })
  return { clock, refused, start, damage: (text: string) => (stored = Buffer.from(text)) }
}

test('a jump of more than the bound is refused once, in both directions, and remains refused when the clock is put back', async () => {
  for (const jumpMs of [day + 1, -day - 1]) {
    const { clock, refused, start } = createMachine()
    const guard = await start()
    clock.jump(jumpMs)
    const at = clock.now()
    assert.equal(guard.isTrusted(), false)
    clock.jump(-jumpMs)
    assert.equal(guard.isTrusted(), false)
    assert.deepEqual(refused, [{ reason: 'jumped', byMs: jumpMs, at }])
  }
})

test('a jump up to the bound is trusted, and so is any time that passes on both clocks; two jumps add up', async () => {
  const { clock, refused, start } = createMachine()
  const guard = await start()
  clock.advance(400 * day)
  clock.jump(day)
  assert.deepEqual([guard.isTrusted(), guard.status().driftMs], [true, day])
  clock.jump(1)
  assert.deepEqual([guard.isTrusted(), refused.length], [false, 1])
})

test('an operator who confirms continues from the clock as it is', async () => {
  const { clock, start } = createMachine()
  const guard = await start()
  clock.jump(40 * day)
  assert.equal(guard.isTrusted(), false)
  await guard.confirm(clock.moment(), null)
  assert.deepEqual([guard.isTrusted(), guard.status().driftMs], [true, 0])
  const again = await start()
  assert.equal(again.isTrusted(), true)
  clock.jump(-40 * day)
  assert.equal(again.isTrusted(), false)
})

test('a refusal outlives a restart and a boot, and a jump while nothing runs is seen within one boot', async () => {
  const { clock, refused, start } = createMachine()
  await start()
  clock.jump(40 * day)
  assert.equal((await start()).isTrusted(), false)
  clock.reboot()
  clock.jump(-40 * day)
  assert.equal((await start()).isTrusted(), false)
  assert.deepEqual(
    refused.map(({ reason, byMs }) => [reason, byMs]),
    [
      ['jumped', 40 * day],
      ['jumped', 40 * day],
    ],
  )
})

test('after a boot any later time is trusted, since nothing says how long the machine was off', async () => {
  const { clock, start } = createMachine()
  await start()
  clock.reboot()
  clock.jump(40 * day)
  assert.equal((await start()).isTrusted(), true)
})

test('a clock that stands behind what it showed at the last stop is refused beyond the bound', async () => {
  for (const [behindMs, isTrusted] of [
    [5 * second, true],
    [5 * second + 1, false],
  ] as const) {
    const { clock, refused, start } = createMachine()
    const guard = await start()
    clock.advance(3600 * second)
    await guard.save()
    clock.reboot()
    clock.jump(-behindMs)
    assert.equal((await start()).isTrusted(), isTrusted, String(behindMs))
    assert.deepEqual(
      refused.map(({ reason, byMs }) => [reason, byMs]),
      isTrusted ? [] : [['behind', -behindMs]],
    )
  }
})

test('a jump after the reading that was confirmed is refused again', async () => {
  const { clock, refused, start } = createMachine()
  const guard = await start()
  clock.jump(40 * day)
  const { reading } = guard.status()
  clock.jump(300 * day)
  await guard.confirm(reading, null)
  assert.deepEqual([guard.isTrusted(), guard.status().driftMs, refused.length], [false, 300 * day, 2])
})

test('a time that a refused clock showed is not what the next start is compared with', async () => {
  const { clock, start } = createMachine()
  const guard = await start()
  clock.jump(40 * day)
  await guard.save()
  clock.jump(-40 * day)
  await guard.confirm(clock.moment(), null)
  clock.reboot()
  assert.equal((await start()).isTrusted(), true)
})

test('entries of a wrong clock that an operator has confirmed refuse no later start, and newer ones do', async () => {
  const { clock, start } = createMachine()
  const ahead = clock.now() + 40 * day
  const guard = await start()
  guard.compareWithNewestEntry(null)
  assert.equal(guard.isTrusted(), true)
  guard.compareWithNewestEntry(ahead)
  assert.equal(guard.isTrusted(), false)
  await guard.confirm(clock.moment(), ahead)
  const next = await start()
  next.compareWithNewestEntry(ahead)
  assert.equal(next.isTrusted(), true)
  next.compareWithNewestEntry(ahead + day)
  assert.equal(next.isTrusted(), false)
})

test('a record that cannot be read counts as none', async () => {
  for (const text of ['', 'null', '{', '{"base":{"wallMs":1}}', '[]']) {
    const machine = createMachine()
    machine.damage(text)
    assert.equal((await machine.start()).isTrusted(), true, text)
  }
})
