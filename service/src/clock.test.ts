import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from './testing/clock.fixture.ts'

import { withTimeout } from './clock.ts'

const clock = makeHandClock()
const never = new AbortController().signal

test('an answer in time is the answer, and its timer goes with it', async () => {
  const ask = () => new Promise<string>((resolve) => setImmediate(resolve, 'in time'))
  const asking = withTimeout({ clock, timeoutMs: 5000, signal: never }, 'late', ask)
  await clock.untilSleeping(5000)
  assert.equal(await asking, 'in time')
  const sleeping = clock.untilSleeping(5000).then(() => 'still sleeping')
  assert.equal(await Promise.race([sleeping, new Promise((resolve) => setImmediate(resolve, 'awake'))]), 'awake')
})

test('who answers at once is not waited for, whether with an answer or with an error', async () => {
  const counted = { ...clock, sleep: () => assert.fail('nobody waits') }
  const patience = { clock: counted, timeoutMs: 5000, signal: never }
  assert.equal(await withTimeout(patience, 'late', async () => 'at once'), 'at once')
  await assert.rejects(
    withTimeout(patience, 'late', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
})

test('what comes after the time is over is late, and what it throws then is nobody’s', async () => {
  let fail = (_cause: Error) => {}
  const asking = withTimeout(
    { clock, timeoutMs: 6000, signal: never },
    'late',
    () => new Promise<string>((_resolve, reject) => (fail = reject)),
  )
  await clock.untilSleeping(6000)
  clock.advance(6000)
  assert.equal(await asking, 'late')
  fail(new Error('too late to matter'))
})

test('a stop ends the wait, and the one who was asked is told', async () => {
  const stop = new AbortController()
  let told = false
  const asking = withTimeout({ clock, timeoutMs: 7000, signal: stop.signal }, 'late', (signal) => {
    signal.addEventListener('abort', () => (told = true))
    return new Promise<string>(() => undefined)
  })
  stop.abort()
  assert.equal(await asking, 'late')
  assert.equal(told, true)
  let isAsked = false
  const ask = async () => ((isAsked = true), 'asked')
  assert.equal(await withTimeout({ clock, timeoutMs: 7000, signal: stop.signal }, 'late', ask), 'late')
  assert.equal(isAsked, false, 'nothing is asked any more')
})
