import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from './testing/clock.fixture.ts'

import { withTimeout } from './clock.ts'

const clock = makeHandClock()
const never = new AbortController().signal

test('withTimeout returns a result in time, and cancels its timer', async () => {
  const call = () => new Promise<string>((resolve) => setImmediate(resolve, 'in time'))
  const pending = withTimeout({ clock, timeoutMs: 5000, signal: never }, 'late', call)
  await clock.untilSleeping(5000)
  assert.equal(await pending, 'in time')
  const sleeping = clock.untilSleeping(5000).then(() => 'still sleeping')
  assert.equal(await Promise.race([sleeping, new Promise((resolve) => setImmediate(resolve, 'awake'))]), 'awake')
})

test('withTimeout starts no timer for a call that settles at once, with a result or an error', async () => {
  const counted = { ...clock, sleep: () => assert.fail('no timer is needed') }
  const options = { clock: counted, timeoutMs: 5000, signal: never }
  assert.equal(await withTimeout(options, 'late', async () => 'at once'), 'at once')
  await assert.rejects(
    withTimeout(options, 'late', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
})

test('withTimeout returns its default after the timeout, and ignores a later rejection', async () => {
  let fail = (_cause: Error) => {}
  const pending = withTimeout(
    { clock, timeoutMs: 6000, signal: never },
    'late',
    () => new Promise<string>((_resolve, reject) => (fail = reject)),
  )
  await clock.untilSleeping(6000)
  clock.advance(6000)
  assert.equal(await pending, 'late')
  fail(new Error('rejected after the timeout'))
})

test('an abort ends the wait, and aborts the signal of the call', async () => {
  const stop = new AbortController()
  let isAborted = false
  const pending = withTimeout({ clock, timeoutMs: 7000, signal: stop.signal }, 'late', (signal) => {
    signal.addEventListener('abort', () => (isAborted = true))
    return new Promise<string>(() => undefined)
  })
  stop.abort()
  assert.equal(await pending, 'late')
  assert.equal(isAborted, true)
  let isCalled = false
  const call = async () => ((isCalled = true), 'called')
  assert.equal(await withTimeout({ clock, timeoutMs: 7000, signal: stop.signal }, 'late', call), 'late')
  assert.equal(isCalled, false, 'nothing is called after an abort')
})

test('a call that was aborted may still tell within the grace what became of it, and what comes later is ignored', async () => {
  const options = { clock, timeoutMs: 8000, graceMs: 300, signal: never }
  const told = (signal: AbortSignal) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve, 'nothing was sent')))
  const telling = withTimeout(options, 'late', told)
  await clock.untilSleeping(8000)
  clock.advance(8000)
  assert.equal(await telling, 'nothing was sent')
  const silent = withTimeout(options, 'late', () => new Promise<string>(() => undefined))
  await clock.untilSleeping(8000)
  clock.advance(8000)
  await clock.untilSleeping(300)
  clock.advance(300)
  assert.equal(await silent, 'late')
  const stop = new AbortController()
  const stopped = withTimeout({ ...options, signal: stop.signal }, 'late', told)
  stop.abort()
  assert.equal(await stopped, 'nothing was sent')
})
